public import ShaleBase
import ShaleEngine

extension ClusterNamespace {
    public nonisolated(nonsending) func write(_ changes: NamespaceChanges) async throws(StorageError) {
        guard let first = changes.changes.first else { return }
        let shard = shard(of: first.key.bytes)
        let writes = try EntryWrites(changes.changes, in: self)
        guard changes.changes.allSatisfy({ isSamePartition($0.key.bytes, first.key.bytes) }) else {
            throw StorageError(.unsupported, "a batch has keys of several partitions (batchesAcrossPartitions)")
        }
        guard try await change(shard, { (header) in writes.steps(header) }) else {
            // No entry was compared.
            throw .corruption("a shard refused a write without a reason index=\(shard)")
        }
    }

    @discardableResult
    public nonisolated(nonsending) func update(
        forKey key: some StoreKey, _ body: (AsyncEntry?) throws(StorageError) -> EntryUpdate
    ) async throws(StorageError) -> Bool {
        let key = EntryKey(try key.keyBytes)
        let (shard, name) = (shard(of: key.bytes), EntryName.name(of: key.bytes))
        while true {
            let (entry, bytes, header) = try await lookUp(key.bytes)
            guard let change = try body(entry).change(of: key) else { return false }
            // Only under the header of the read: a purge since then has erased what `body` saw.
            let steps = try EntryWrites([change], in: self).steps(header)
            if try await self.change(shard, under: header, [.requireEntry(name: name, value: bytes)] + steps) {
                return true
            }
        }
    }

    private func isSamePartition(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let rule = record.partitioning
        return one.prefix(rule.length(in: one)) == other.prefix(rule.length(in: other))
    }
}

/// Changes of one shard, encoded except for the generation of the shard.
private struct EntryWrites {
    private struct Write {
        let name: [UInt8]
        let key: [UInt8]
        let options: PutOptions
        let envelope: [UInt8]
    }

    private let namespace: [UInt8]
    private var writes: [Write] = []
    private var removals: [[UInt8]] = []

    /// Encodes changes. The last change of a key counts. Throws `.invalidArgument` for a limit and `.cipherMismatch`
    /// for an option of encryption.
    init(_ changes: [NamespaceChange], in namespace: ClusterNamespace) throws(StorageError) {
        self.namespace = namespace.record.id
        guard changes.count <= ClusterLimits.changesInBatch else {
            throw .invalid("a batch has too many changes count=\(changes.count) of \(ClusterLimits.changesInBatch)")
        }
        let last = Dictionary(zip(changes.map(\.key), changes.indices)) { _, later in later }
        var byteCount = 0
        for (index, change) in changes.enumerated() where last[change.key] == index {
            let key = change.key.bytes
            try ClusterNamespace.checkKey(key)
            byteCount += key.count
            let name = EntryName.name(of: key)
            guard case .set(let codec, let payload, let options) = change.content else {
                removals.append(name)
                continue
            }
            let envelope = try EntryWrites.envelope(payload, codec, options)
            byteCount += envelope.count
            let record = namespace.record
            let completed = options.completed(
                isPurgeable: record.isPurgeable, lifetimeMilliseconds: record.lifetimeMilliseconds
            ) { namespace.core.now }
            writes.append(Write(name: name, key: key, options: completed, envelope: envelope))
        }
        guard byteCount <= ClusterLimits.bytesInBatch else {
            throw .invalid("a batch is too large bytes=\(byteCount) of \(ClusterLimits.bytesInBatch)")
        }
    }

    private static func envelope(
        _ payload: [UInt8], _ codec: ValueCodec, _ options: ValueOptions
    ) throws(StorageError) -> [UInt8] {
        guard payload.count <= ClusterLimits.valueBytes else {
            throw .invalid("a value is too large bytes=\(payload.count) of \(ClusterLimits.valueBytes)")
        }
        guard options.isEncrypted != true else {
            throw StorageError(.cipherMismatch, "the value is to be encrypted, which namespaces on a cluster can't do")
        }
        return try unsafe EncodedValue.envelope(payload.span.bytes, codec)
    }

    /// Returns the steps that write the changes under a header.
    func steps(_ header: ShardHeader) -> [ObjectChange.Step] {
        var steps: [ObjectChange.Step] = []
        if !writes.isEmpty {
            steps.append(
                .setEntries(
                    writes.map { write in
                        let entry = ClusterEntry(
                            generation: header.generation, isPurgeable: write.options.isPurgeable,
                            expiresAtMilliseconds: write.options.expiresAtMilliseconds, envelope: write.envelope)
                        return ObjectEntry(name: write.name, value: entry.bytes(namespace: namespace, key: write.key))
                    }))
        }
        if !removals.isEmpty { steps.append(.removeEntries(removals)) }
        return steps
    }
}
