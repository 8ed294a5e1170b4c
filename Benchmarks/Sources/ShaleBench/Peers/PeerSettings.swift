/// The settings for all peers, as far as a peer has such an option.
struct PeerSettings: Codable, Sendable {
    /// The variants of a peer's options; the raw value is the name in result files.
    enum Variant: String, Codable, CaseIterable, Sendable {
        /// The variant of the bars: compressed, if the peer can compress.
        case standard = ""
        case uncompressed
        /// RocksDB with zstd in all levels.
        case zstd
    }

    var variant = Variant.standard
    var keyBytes = 16
    var valueBytes = 100
    var cacheBytes = 512 << 20
    var writeBufferBytes = 64 << 20
    var filterBitsPerKey = 10

    var entryBytes: Int { keyBytes + valueBytes }
    var isCompressed: Bool { variant != .uncompressed }
}
