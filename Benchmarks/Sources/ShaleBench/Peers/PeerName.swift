/// The peers, by their names in result files.
enum PeerName: String, Codable, CaseIterable, Sendable {
    case shale, leveldb, rocksdb, lmdb, sqlite, grdb, userdefaults, files

    /// The peers that store bytes under ordered keys.
    static let engines: [PeerName] = [.shale, .leveldb, .rocksdb, .lmdb, .sqlite]

    /// Returns the store for the workloads on bytes.
    func peer(at path: String, _ settings: PeerSettings) throws -> any Peer {
        switch self {
        case .shale: ShalePeer(path: path, settings: settings)
        case .leveldb: LevelDBPeer(path: path, settings: settings)
        case .rocksdb: RocksDBPeer(path: path, settings: settings)
        case .lmdb: LMDBPeer(path: path, settings: settings)
        case .sqlite: SQLitePeer(path: path, settings: settings)
        case .grdb, .userdefaults, .files: throw BenchError("\(rawValue) has no workloads on bytes")
        }
    }

    /// Returns the store for the workloads on typed values.
    func typedPeer(at path: String, _ settings: PeerSettings) -> any TypedPeer {
        switch self {
        case .shale: ShaleTypedPeer(path: path)
        case .leveldb: BytesTypedPeer(LevelDBPeer(path: path, settings: settings))
        case .rocksdb: BytesTypedPeer(RocksDBPeer(path: path, settings: settings))
        case .lmdb: BytesTypedPeer(LMDBPeer(path: path, settings: settings))
        case .sqlite: SQLiteTypedPeer(path: path, settings: settings)
        case .grdb: GRDBTypedPeer(path: path, settings: settings)
        case .userdefaults: UserDefaultsTypedPeer(path: path)
        case .files: FilesTypedPeer(path: path)
        }
    }

    /// Returns the store for the workloads on records; `nil` if the peer has no indexes.
    func recordPeer(at path: String, _ settings: PeerSettings) -> (any RecordPeer)? {
        switch self {
        case .shale: ShaleRecordPeer(path: path)
        case .sqlite: SQLiteRecordPeer(path: path, settings: settings)
        case .grdb: GRDBRecordPeer(path: path, settings: settings)
        case .leveldb, .rocksdb, .lmdb, .userdefaults, .files: nil
        }
    }

    /// Returns true if a variant of the options makes a difference for this peer.
    func has(_ variant: PeerSettings.Variant) -> Bool {
        switch variant {
        case .standard: true
        case .uncompressed: self == .shale || self == .leveldb || self == .rocksdb
        case .zstd: self == .rocksdb
        case .largeBlocks: self == .leveldb || self == .rocksdb
        case .queue: self == .grdb
        case .prefixes: self == .rocksdb
        case .splitBlocks, .unmapped: self == .shale
        case .valueFiles: self == .shale || self == .rocksdb
        }
    }

    /// The reason why this build of a peer is slower than its best; `nil` if none is known. It stands beside the name
    /// in every comparison.
    var handicap: String? {
        #if OPTIMIZED_PEERS
            nil
        #else
            self == .rocksdb || self == .leveldb ? "distribution's build" : nil
        #endif
    }

    /// The peer's options, for readers of the report.
    var summary: String {
        switch self {
        case .shale:
            [ShalePeer.summary, ShaleTypedPeer.summary, ShaleRecordPeer.summary, LayerStores.summary]
                .joined(separator: "; ")
        case .leveldb: LevelDBPeer.summary
        case .rocksdb: RocksDBOptions.summary
        case .lmdb: LMDBPeer.summary
        case .sqlite: SQLitePeer.summary
        case .grdb: GRDBTypedPeer.summary
        case .userdefaults: UserDefaultsTypedPeer.summary
        case .files: FilesTypedPeer.summary
        }
    }
}

/// The settings for all peers, as far as a peer has such an option.
struct PeerSettings: Codable, Sendable {
    /// The variants of a peer's options; the raw value is the name in result files.
    enum Variant: String, Codable, CaseIterable, Sendable {
        /// The variant of the bars: compressed, if the peer can compress.
        case standard = ""
        case uncompressed
        /// RocksDB with zstd in all levels.
        case zstd
        /// Blocks as large as Shale's. The bars count the better of this and ``standard``.
        case largeBlocks = "16 KiB blocks"
        /// GRDB's queue of one connection instead of its pool.
        case queue = "DatabaseQueue"
        /// Namespaces of RocksDB as prefixes of keys instead of column families.
        case prefixes = "key prefixes"
        /// Shale's segments of format 2 for all values, whatever that costs.
        case splitBlocks = "split blocks"
        /// Shale's segments read by system calls, never from a mapping.
        case unmapped = "pread"
        /// Values from 1 KiB on in files of their own: Shale's value files, and RocksDB's blob files with collection.
        case valueFiles = "value files"

        /// True for the options that bars and summaries count, of each peer the better ones.
        var isUsual: Bool {
            switch self {
            case .standard, .largeBlocks, .queue, .prefixes: true
            case .uncompressed, .zstd, .splitBlocks, .unmapped, .valueFiles: false
            }
        }
    }

    var variant = Variant.standard
    var keyBytes = 16
    var valueBytes = 100
    var cacheBytes = 512 << 20
    var writeBufferBytes = 64 << 20
    /// The bits of a peer's filter; Shale has 16 in its upper levels and 8 in the lowest of seven.
    var filterBitsPerKey = 16
    /// Shale's whole budget, and the peers' block cache, in bytes; `nil` for a cache of ``cacheBytes`` and the write
    /// buffers beside it.
    var memoryBudget: Int?

    var entryBytes: Int { keyBytes + valueBytes }
    var blockCacheBytes: Int { memoryBudget ?? cacheBytes }
    var isCompressed: Bool { variant != .uncompressed }
    /// The bytes of a peer's blocks before compression; Shale has its default.
    var blockBytes: Int { variant == .largeBlocks ? 16 << 10 : 4 << 10 }
    /// The smallest value in bytes that goes to a file of values; `nil` if none does.
    var largeValueBytes: Int? { variant == .valueFiles ? 1024 : nil }
}
