public import ShaleBase

extension ClusterNamespace {
    public nonisolated(nonsending) func entry(
        forKey key: some StoreKey
    ) async throws(StorageError) -> AsyncEntry? {
        let key = try key.keyBytes
        return try await lookUp(key).entry
    }

    public nonisolated(nonsending) func entries(
        forKeys keys: [EntryKey]
    ) async throws(StorageError) -> [AsyncEntry?] {
        var indexes: [Int: [Int]] = [:]
        for (index, key) in keys.enumerated() {
            try ClusterNamespace.checkKey(key.bytes)
            indexes[shard(of: key.bytes), default: []].append(index)
        }
        // A request for names is answered up to this number of entries.
        let parts = indexes.flatMap { (shard, indexes) in
            stride(from: 0, to: indexes.count, by: ClusterLimits.namesInRead).map { start in
                (shard: shard, indexes: Array(indexes[start..<min(start + ClusterLimits.namesInRead, indexes.count)]))
            }
        }
        let found = try await concurrently(0..<parts.count) { (part) throws(StorageError) -> [AsyncEntry?] in
            try await self.lookUp(parts[part].indexes.map { keys[$0].bytes }, in: parts[part].shard)
        }
        var entries = [AsyncEntry?](repeating: nil, count: keys.count)
        for (part, found) in zip(parts, found) {
            for (index, entry) in zip(part.indexes, found) { entries[index] = entry }
        }
        return entries
    }

    /// Returns the entry of a key if a reader sees it, its bytes in any case, empty if there is none, and the header of
    /// its shard at the same moment.
    nonisolated(nonsending) func lookUp(
        _ key: [UInt8]
    ) async throws(StorageError) -> (entry: AsyncEntry?, bytes: [UInt8], header: ShardHeader) {
        try ClusterNamespace.checkKey(key)
        var query = ObjectQuery()
        query.names = [EntryName.name(of: key)]
        let (header, contents) = try await read(shard(of: key), query)
        guard let found = contents.found.first else { return (nil, [], header) }
        return (try visible(found.value, key, header), found.value, header)
    }

    /// Returns the entries of keys of one shard, at one moment.
    private nonisolated(nonsending) func lookUp(
        _ keys: [[UInt8]], in shard: Int
    ) async throws(StorageError) -> [AsyncEntry?] {
        let names = keys.map { EntryName.name(of: $0) }
        var query = ObjectQuery()
        query.names = names
        let (header, contents) = try await read(shard, query)
        let values = Dictionary(contents.found.map { ($0.name, $0.value) }) { _, last in last }
        var entries: [AsyncEntry?] = []
        for (key, name) in zip(keys, names) {
            entries.append(
                try values[name].flatMap { (value) throws(StorageError) in try visible(value, key, header) })
        }
        return entries
    }

    /// Returns the entry with the given bytes; `nil` if it is erased or expired.
    func visible(_ bytes: [UInt8], _ key: [UInt8], _ header: ShardHeader) throws(StorageError) -> AsyncEntry? {
        let entry = try ClusterEntry(bytes, namespace: record.id, key: key)
        guard !header.erases(entry), !entry.isExpired(at: core.now) else { return nil }
        let info = try unsafe ValueInfo(
            envelope: entry.envelope.span.bytes, isPurgeable: entry.isPurgeable,
            expiresAtMilliseconds: entry.expiresAtMilliseconds)
        return AsyncEntry(key: key, envelope: entry.envelope, info: info, codecs: core.codecs)
    }
}
