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
            let keyring = try await keyring(under: try await header(shard))
            let writes = try EntryWrites(changes.changes, in: self, keyring)
            let notes = try await makeObjects(writes.large, in: shard)
            var isOutdated = false
            let isWritten = try await change(shard) { (header) in
                isOutdated = writes.isOutdated(under: header)
                return isOutdated ? nil : writes.steps(header, notes)
            }
            if isWritten { return }
            if isOutdated {
                // The data key was changed meanwhile: the values are encrypted again.
                try await abandon(notes, of: shard)
            } else if notes.isEmpty {
                throw .corruption("a shard refused a write without a reason index=\(shard)")
            }
            // Otherwise only notes were compared: a pass has taken this writer for dead, and removes the objects.
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
            let writes = try EntryWrites([change], in: self, try await keyring(under: seen.header))
            let notes = try await makeObjects(writes.large, in: shard)
            // Only under the header of the read: a purge since then has erased what `body` saw.
            let steps = [.requireEntry(name: name, value: seen.bytes)] + writes.steps(seen.header, notes)
            if try await self.change(shard, under: seen.header, steps) { return true }
            try await abandon(notes, of: shard)
        }
    }

    public func partition(of key: EntryKey) -> [UInt8] {
        Array(key.bytes.prefix(record.partitioning.length(in: key.bytes)))
    }
}
