/// The peers, by the names that result files have.
enum PeerName: String, Codable, CaseIterable, Sendable {
    case shale, leveldb, rocksdb, lmdb, sqlite

    /// The store for the workloads on bytes.
    func peer(at path: String, _ settings: PeerSettings) -> any Peer {
        switch self {
        case .shale: ShalePeer(path: path, settings: settings)
        case .leveldb: LevelDBPeer(path: path, settings: settings)
        case .rocksdb: RocksDBPeer(path: path, settings: settings)
        case .lmdb: LMDBPeer(path: path, settings: settings)
        case .sqlite: SQLitePeer(path: path, settings: settings)
        }
    }

    /// Whether a variant of the options makes a difference.
    func has(_ variant: PeerSettings.Variant) -> Bool {
        switch variant {
        case .standard: true
        case .uncompressed: self == .shale || self == .leveldb || self == .rocksdb
        case .zstd: self == .rocksdb
        }
    }
}

extension PeerName {
    /// Its options, for people to judge.
    var summary: String {
        switch self {
        case .shale: ShalePeer.summary
        case .leveldb: LevelDBPeer.summary
        case .rocksdb: RocksDBOptions.summary
        case .lmdb: LMDBPeer.summary
        case .sqlite: SQLitePeer.summary
        }
    }
}
