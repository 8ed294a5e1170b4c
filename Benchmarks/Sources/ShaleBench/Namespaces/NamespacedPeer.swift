/// A store of bytes with many separate keyspaces, used by one thread.
protocol NamespacedPeer: PeerStore {
    /// Creates the keyspaces 0 ..< count in an open store without keyspaces.
    func create(_ count: Int) throws

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws

    /// Calls `body` with the borrowed value of `key`; returns false if the key is missing.
    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool
}

extension PeerName {
    /// Returns the store for the workload on keyspaces; `nil` if the peer has no keyspaces, or not so many.
    func namespacedPeer(at path: String, _ settings: PeerSettings, count: Int) -> (any NamespacedPeer)? {
        switch self {
        case .shale: ShaleNamespacedPeer(path: path, settings: settings)
        // A column family has a write buffer and files of its own: ten thousand of them take minutes.
        case .rocksdb: count <= 1000 ? RocksDBNamespacedPeer(path: path, settings: settings) : nil
        case .lmdb: LMDBNamespacedPeer(path: path, count: count)
        case .leveldb, .sqlite, .grdb, .userdefaults, .files: nil
        }
    }
}
