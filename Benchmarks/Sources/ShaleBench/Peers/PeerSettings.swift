/// What all peers are told, as far as they have such an option.
struct PeerSettings: Codable, Sendable {
    /// Variants of a peer's options; the raw value is what result files say.
    enum Variant: String, Codable, CaseIterable, Sendable {
        /// The one that the bars are about: compressed, where the peer can.
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
