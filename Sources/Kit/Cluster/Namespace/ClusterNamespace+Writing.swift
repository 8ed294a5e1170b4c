public import ShaleBase

extension ClusterNamespace {
    public nonisolated(nonsending) func write(_ changes: NamespaceChanges) async throws(StorageError) {
        guard let first = changes.changes.first else { return }
        let partition = partition(of: first.key)
        guard changes.changes.allSatisfy({ self.partition(of: $0.key) == partition }) else {
            throw StorageError(.unsupported, "a batch has keys of several partitions (batchesAcrossPartitions)")
        }
        let shard = shard(of: first.key.bytes)
        while true {
            let writes = try EntryWrites(changes.changes, in: self)
            let notes = try await makeObjects(writes.large, in: shard)
            if try await change(shard, { (header) in writes.steps(header, notes) }) { return }
            // Only notes were compared: a pass has taken this writer for dead, and removes the objects.
            guard !notes.isEmpty else { throw .corruption("a shard refused a write without a reason index=\(shard)") }
        }
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
            let writes = try EntryWrites([change], in: self)
            let notes = try await makeObjects(writes.large, in: shard)
            // Only under the header of the read: a purge since then has erased what `body` saw.
            let steps = [.requireEntry(name: name, value: seen.bytes)] + writes.steps(seen.header, notes)
            if try await self.change(shard, under: seen.header, steps) { return true }
            let header = notes.isEmpty ? nil : try await currentHeader(shard)
            if let header { for note in notes { _ = try await remove(note, from: shard, under: header) } }
        }
    }

    public func partition(of key: EntryKey) -> [UInt8] {
        Array(key.bytes.prefix(record.partitioning.length(in: key.bytes)))
    }
}
