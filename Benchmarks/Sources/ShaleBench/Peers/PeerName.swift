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
        }
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
