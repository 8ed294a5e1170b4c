/// The limits of the protocol, version 1. Both sides keep to them and refuse more.
public enum SyncLimits {
    /// The version of the protocol, which is the first component of each path: `v1/push`.
    public static let version = 1
    /// The largest document of a record, in bytes of JSON: 1 MiB.
    public static let documentBytes = 1 << 20
    /// The longest key of a record: 4 KiB.
    public static let keyBytes = 4 << 10
    /// The longest name of a collection, in bytes of UTF-8.
    public static let nameBytes = 200
    /// The largest number of changes in a batch or a page.
    public static let changes = 500
    /// The size at which a batch, a page or a reply takes no further change: 2 MiB. One change may exceed it.
    public static let batchBytes = 2 << 20
    /// The largest message: 8 MiB.
    public static let messageBytes = 8 << 20
    /// The largest number of collections in a pull.
    public static let collections = 256
    /// The largest number that a message may contain where it is a revision or a position: 2⁵³ − 1, which every parser
    /// of JSON reads exactly.
    public static let numberMax: Int64 = (1 << 53) - 1
}
