import ShaleBase

/// A pass over a shard that encrypts values under older data keys again. Used by one task at a time.
///
/// If an entry of a page was changed since the page was read, the page is read again. This ends: a changed entry is
/// under the new key.
struct ShardRewriting {
    private let namespace: ClusterNamespace
    private let shard: Int
    private let dataKey: UInt32
    private var position = EntryName.prefix
    private var isAtEnd = false
    /// The number of entries that were read.
    private(set) var examined = 0
    /// The number of values that were encrypted again.
    private(set) var rewritten = 0

    /// Encrypts the values again whose data keys are older than `dataKey`, which the shard's header names.
    init(_ namespace: ClusterNamespace, _ shard: Int, olderThan dataKey: UInt32) {
        self.namespace = namespace
        self.shard = shard
        self.dataKey = dataKey
    }

    /// Does one page. Returns false if there was none left.
    mutating func next() async throws(StorageError) -> Bool {
        guard !isAtEnd else { return false }
        var query = ObjectQuery()
        query.page = ObjectQuery.Page(
            prefix: EntryName.prefix, after: position, limit: ClusterLimits.entriesInPage)
        while true {
            let (header, contents) = try await namespace.present.read(shard, query)
            guard try await rewrite(contents.page, under: header) else { continue }
            examined += contents.page.count
            isAtEnd = !contents.hasMore
            position = contents.page.last?.name ?? position
            return true
        }
    }

    /// Returns false if something was changed since the page was read. A part may have been rewritten then.
    private mutating func rewrite(_ page: ObjectEntries, under header: ShardHeader) async throws(StorageError) -> Bool {
        // Never older than the header, which another client's change may have moved on.
        guard let keyring = try await namespace.keyring(under: header) else {
            throw StorageError(.cipherMismatch, "the cluster was opened without encryption")
        }
        var changes = Changes()
        for stored in page {
            let key = try EntryName.key(of: stored.name)
            let entry = try ClusterEntry(stored.value, namespace: namespace.record.id, key: key)
            // An expired entry may be visible to a client with a slower clock.
            guard !header.erases(entry) else { continue }
            switch entry.content {
            case .envelope(let envelope):
                guard let sealed = try resealed(envelope, entry, key, keyring) else { continue }
                changes.add(stored, rewritten(entry, .envelope(sealed), key, stored.name))
            case .large(let value):
                guard let envelope = try await namespace.envelope(of: value) else { return false }
                guard let sealed = try resealed(envelope, entry, key, keyring) else { continue }
                guard try await writeLarge(sealed, entry, key, stored, header) else { return false }
            }
            guard changes.byteCount >= ClusterLimits.bytesInPage else { continue }
            guard try await write(&changes, under: header) else { return false }
        }
        return try await write(&changes, under: header)
    }

    /// Entries to replace together.
    private struct Changes {
        private(set) var comparisons: [ObjectChange.Step] = []
        private(set) var entries = ObjectEntries()
        private(set) var byteCount = 0

        mutating func add(_ old: ObjectEntry, _ new: ObjectEntry) {
            comparisons.append(.requireEntry(name: old.name, value: old.value))
            entries.append(new)
            byteCount += new.value.count
        }
    }

    private mutating func write(_ changes: inout Changes, under header: ShardHeader) async throws(StorageError) -> Bool
    {
        guard !changes.entries.isEmpty else { return true }
        defer { changes = Changes() }
        let steps = changes.comparisons + [.setEntries(changes.entries)]
        guard try await namespace.change(shard, under: header, steps) else { return false }
        rewritten += changes.entries.count
        return true
    }

    /// Writes a large value to an object of its own. The old object stays until a removal pass.
    private mutating func writeLarge(
        _ sealed: [UInt8], _ entry: ClusterEntry, _ key: [UInt8], _ stored: ObjectEntry, _ header: ShardHeader
    ) async throws(StorageError) -> Bool {
        let value = LargeValue(id: namespace.core.makeID(), envelope: sealed)
        let notes = try await namespace.makeObjects([(key, value, sealed)], in: shard)
        var steps: [ObjectChange.Step] = notes.map { .requireEntry(name: $0.name, value: $0.bytes) }
        steps.append(.requireEntry(name: stored.name, value: stored.value))
        steps.append(.setEntries([rewritten(entry, .large(value), key, stored.name)]))
        guard try await namespace.change(shard, under: header, steps) else {
            try await namespace.abandon(notes, of: shard)
            return false
        }
        rewritten += 1
        return true
    }

    /// Returns an envelope encrypted under the newest key; `nil` if it is not encrypted or under no older key.
    private func resealed(
        _ envelope: [UInt8], _ entry: ClusterEntry, _ key: [UInt8], _ keyring: NamespaceKeyring
    ) throws(StorageError) -> [UInt8]? {
        guard let old = try NamespaceKeyring.dataKey(of: envelope), old < dataKey else { return nil }
        let plain = try keyring.opened(
            envelope, key: key, isPurgeable: entry.isPurgeable, expiresAtMilliseconds: entry.expiresAtMilliseconds)
        return try keyring.sealed(
            plain, key: key, isPurgeable: entry.isPurgeable, expiresAtMilliseconds: entry.expiresAtMilliseconds)
    }

    /// Returns an entry with another content. Its stamp stays, so that a purge erases it as before.
    private func rewritten(
        _ entry: ClusterEntry, _ content: ClusterEntry.Content, _ key: [UInt8], _ name: [UInt8]
    ) -> ObjectEntry {
        let new = ClusterEntry(
            generation: entry.generation, isPurgeable: entry.isPurgeable,
            expiresAtMilliseconds: entry.expiresAtMilliseconds, content: content)
        return ObjectEntry(name: name, value: new.bytes(namespace: namespace.record.id, key: key))
    }
}
