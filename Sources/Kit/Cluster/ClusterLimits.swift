/// Limits of a namespace on a cluster.
public enum ClusterLimits {
    /// The bytes of the largest value, when encoded.
    public static let valueBytes = 32 << 20
    /// The bytes of an encoded value up to which it is in its shard. A larger one has an object of its own.
    public static let inlineBytes = 64 << 10
    /// The most bytes that an envelope adds to a value.
    static let envelopeBytes = 1 << 10
    /// The changes of the largest batch.
    public static let changesInBatch = 10_000
    /// The bytes of keys and of values up to ``inlineBytes`` of the largest batch. An OSD refuses operations over 90
    /// MB.
    public static let bytesInBatch = 16 << 20
    /// The entries of the largest page of a scan, and the names of the largest read. An OSD answers at most 1024.
    static let entriesInPage = 256
    static let namesInRead = 512
    /// The bytes of values over which the pages of a scan become smaller.
    static let bytesInPage = 1 << 20
}
