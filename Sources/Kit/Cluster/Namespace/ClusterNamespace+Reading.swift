public import ShaleBase

extension ClusterNamespace {
    /// The reader of the present.
    var present: ClusterReader { ClusterReader(namespace: self, moment: nil) }

    public nonisolated(nonsending) func entry(
        forKey key: some StoreKey
    ) async throws(StorageError) -> AsyncEntry? {
        try await present.entry(try key.keyBytes)
    }

    public nonisolated(nonsending) func entries(
        forKeys keys: [EntryKey]
    ) async throws(StorageError) -> [AsyncEntry?] {
        try await present.entries(keys)
    }

    public func entries(in range: some KeyInterval) -> ClusterEntries {
        ClusterEntries(reader: present, range: Result { () throws(StorageError) in try range.keyRange })
    }
}
