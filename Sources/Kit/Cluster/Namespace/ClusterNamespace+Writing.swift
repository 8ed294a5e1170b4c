public import ShaleBase

extension ClusterNamespace {
    public nonisolated(nonsending) func write(_ changes: NamespaceChanges) async throws(StorageError) {
        guard let first = changes.changes.first else { return }
        let partitioning = record.partitioning
        guard changes.changes.dropFirst().allSatisfy({ partitioning.isSame(first.key.bytes, $0.key.bytes) }) else {
            throw StorageError(.unsupported, "a batch has keys of several partitions (batchesAcrossPartitions)")
        }
        let shard = shard(of: first.key.bytes)
        while true {
            let keyring = try await keyring(under: try await header(shard))
            let writes = try EntryWrites(changes.changes, in: self, keyring)
            // Otherwise the data key was changed meanwhile, and the values are encrypted again.
            if writes.large.isEmpty {
                let isWritten = try await shardWrites.write(writes, to: shard) { (all) throws(StorageError) in
                    try await self.write(all, to: shard)
                }
                if isWritten { return }
            } else if try await writeLarge(writes, to: shard) {
                return
            }
        }
    }

    /// Writes changes without large values in one operation. Returns false for those whose data key is not that of the
    /// shard any more; they did not happen.
    private nonisolated(nonsending) func write(
        _ all: [EntryWrites], to shard: Int
    ) async throws(StorageError) -> [Bool] {
        var isCurrent: [Bool] = []
        let isWritten = try await change(shard) { (header) in
            isCurrent = all.map { !$0.isOutdated(under: header) }
            let steps = zip(all, isCurrent).flatMap { (writes, isCurrent) in isCurrent ? writes.steps(header, []) : [] }
            return steps.isEmpty ? nil : steps
        }
        guard isWritten || !isCurrent.contains(true) else {
            throw .corruption("a shard refused a write without a reason index=\(shard)")
        }
        return isCurrent
    }

    /// Writes changes with large values. Returns false if they did not happen: the data key is not that of the shard
    /// any more, or a pass has taken this writer for dead.
    private nonisolated(nonsending) func writeLarge(
        _ writes: EntryWrites, to shard: Int
    ) async throws(StorageError) -> Bool {
        let notes = try await makeObjects(writes.large, in: shard)
        let isWritten = try await change(shard) { (header) in
            writes.isOutdated(under: header) ? nil : writes.steps(header, notes)
        }
        if !isWritten { try await abandon(notes, of: shard) }
        return isWritten
    }

    @discardableResult
    public nonisolated(nonsending) func update(
        forKey key: some StoreKey, _ body: (AsyncEntry?) throws(StorageError) -> EntryUpdate
    ) async throws(StorageError) -> Bool {
        let key = EntryKey(try key.keyBytes)
        let (shard, name) = (shard(of: key.bytes), EntryName.name(of: key.bytes))
        while true {
            let seen = try await present.lookUp(key.bytes)
            var entry: AsyncEntry?
            if let found = seen.found { entry = try await present.delivered(found) }
            guard let change = try body(entry).change(of: key) else { return false }
            let writes = try EntryWrites([change], in: self, try await keyring(under: seen.header))
            let notes = try await makeObjects(writes.large, in: shard)
            // Only under the header of the read: a purge since then has erased what `body` saw.
            let steps = [.requireEntry(name: name, value: seen.stored)] + writes.steps(seen.header, notes)
            if try await self.change(shard, under: seen.header, steps) { return true }
            try await abandon(notes, of: shard)
        }
    }

    public func partition(of key: EntryKey) -> [UInt8] {
        Array(key.bytes.prefix(record.partitioning.length(in: key.bytes)))
    }
}
