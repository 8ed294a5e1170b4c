import ShaleBase
import ShaleEngine

/// Changes of one shard, encoded except for the generation of the shard.
struct EntryWrites {
    private struct Write {
        let key: [UInt8]
        let options: PutOptions
        let content: ClusterEntry.Content
    }

    private let namespace: ClusterNamespace
    private let keyring: NamespaceKeyring?
    /// True if a value is encrypted, under the newest data key of the keyring.
    private var hasSealed = false
    private var writes: [Write] = []
    private var removals: [[UInt8]] = []
    /// The values that need objects of their own.
    private(set) var large: [(key: [UInt8], value: LargeValue, envelope: [UInt8])] = []
    /// The bytes of keys, and of values in the shard.
    private(set) var byteCount = 0

    /// The number of changes.
    var count: Int { writes.count + removals.count }

    /// Encodes changes. The last change of a key counts. Throws `.invalidArgument` for a limit and `.cipherMismatch` if
    /// a value can't be encrypted.
    init(
        _ changes: [NamespaceChange], in namespace: ClusterNamespace, _ keyring: NamespaceKeyring?
    ) throws(StorageError) {
        self.namespace = namespace
        self.keyring = keyring
        guard changes.count <= ClusterLimits.changesInBatch else {
            throw .invalid("a batch has too many changes count=\(changes.count) of \(ClusterLimits.changesInBatch)")
        }
        // Keys that ascend, or a single one, have no duplicate.
        let areAscending = zip(changes, changes.dropFirst()).allSatisfy { $0.key < $1.key }
        let last = areAscending ? [:] : Dictionary(zip(changes.lazy.map { $0.key }, changes.indices)) { $1 }
        writes.reserveCapacity(changes.count)
        for (index, change) in changes.enumerated() where areAscending || last[change.key] == index {
            try ClusterNamespace.checkKey(change.key.bytes)
            let valueBytes = try add(change)
            byteCount += change.key.bytes.count + valueBytes
        }
        guard byteCount <= ClusterLimits.bytesInBatch else {
            throw .invalid("a batch is too large bytes=\(byteCount) of \(ClusterLimits.bytesInBatch)")
        }
    }

    /// Encodes a change. Returns the bytes of its value that are in the shard.
    private mutating func add(_ change: NamespaceChange) throws(StorageError) -> Int {
        let key = change.key.bytes
        guard case .set(let codec, let payload, let options) = change.content else {
            removals.append(EntryName.name(of: key))
            return 0
        }
        guard payload.count <= ClusterLimits.valueBytes else {
            throw .invalid("a value is too large bytes=\(payload.count) of \(ClusterLimits.valueBytes)")
        }
        let record = namespace.record
        let put = options.completed(
            isPurgeable: record.isPurgeable, lifetimeMilliseconds: record.lifetimeMilliseconds
        ) { namespace.core.now }
        var envelope = try unsafe EncodedValue.envelope(payload.span.bytes, codec)
        if options.isEncrypted ?? record.isEncrypted {
            guard options.cipher == nil else {
                throw StorageError(.cipherMismatch, "values on a cluster are encrypted with the namespace's cipher")
            }
            guard let keyring else {
                throw StorageError(
                    .cipherMismatch, "the value is to be encrypted, and the namespace was made or opened without keys")
            }
            hasSealed = true
            envelope = try keyring.sealed(
                envelope, key: key, isPurgeable: put.isPurgeable, expiresAtMilliseconds: put.expiresAtMilliseconds)
        }
        guard envelope.count > ClusterLimits.inlineBytes + ClusterLimits.envelopeBytes else {
            writes.append(Write(key: key, options: put, content: .envelope(envelope)))
            return envelope.count
        }
        let value = LargeValue(id: namespace.core.makeID(), envelope: envelope)
        large.append((key, value, envelope))
        writes.append(Write(key: key, options: put, content: .large(value)))
        return value.bytes.count
    }

    /// True if a shard with this header takes no values under the data key of these.
    func isOutdated(under header: ShardHeader) -> Bool {
        hasSealed && keyring.map { $0.newest < header.dataKey } ?? false
    }

    /// Returns the steps that write the changes under a header, if the objects of large values are still to be named.
    func steps(_ header: ShardHeader, _ notes: [ValueNote]) -> [ObjectChange.Step] {
        var steps: [ObjectChange.Step] = notes.map { .requireEntry(name: $0.name, value: $0.bytes) }
        if !writes.isEmpty { steps.append(.setEntries(entries(header))) }
        if !removals.isEmpty { steps.append(.removeEntries(removals)) }
        return steps
    }

    /// Returns the entries that are set, with the generation of a header.
    private func entries(_ header: ShardHeader) -> ObjectEntries {
        var entries = ObjectEntries()
        // The kind and the end of each name, and what is around each content; keys with escaped bytes take more.
        entries.reserveCapacity(
            writes.count, byteCount: byteCount + writes.count * (2 + ClusterEntry.overheadBytes))
        for write in writes {
            let entry = ClusterEntry(
                generation: header.generation, isPurgeable: write.options.isPurgeable,
                expiresAtMilliseconds: write.options.expiresAtMilliseconds, content: write.content)
            entries.append { (bytes) in
                EntryName.append(write.key, to: &bytes)
            } value: { (bytes) in
                entry.append(to: &bytes, namespace: namespace.record.id, key: write.key)
            }
        }
        return entries
    }
}
