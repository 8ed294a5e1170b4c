/// A store of bytes with many separate keyspaces, used by one thread.
protocol NamespacedPeer: PeerStore {
    /// Makes the keyspaces 0 ..< count, of an open store that has none.
    func create(_ count: Int) throws

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws

    /// Lends the value of `key` to `body`; false when it is not there.
    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool
}

extension PeerName {
    /// The store for the workload on keyspaces; `nil` where there is nothing of the kind, or not so many.
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
