import ShaleBase

/// The reads of a namespace, as it is now or at a snapshot.
struct ClusterReader: Sendable {
    /// A moment of each shard, and the time by which its entries expire.
    struct Moment: Sendable {
        let snapshot: UInt64
        let now: Int64
    }

    let namespace: ClusterNamespace
    /// `nil` for the present.
    let moment: Moment?

    /// Reads parts of a shard and its header at one moment. If the client knows the header, its size is read instead,
    /// which costs less.
    nonisolated(nonsending) func read(
        _ shard: Int, _ query: ObjectQuery
    ) async throws(StorageError) -> (header: ShardHeader, contents: ObjectContents) {
        let known = namespace.known(shard)
        guard moment == nil, let header = known.header else { return try await readWithHeader(shard, query) }
        var comparing = query
        if header.isKnownBySize {
            comparing.size = true
            if query.names.count == 1 { comparing.shared = known.reads }
        } else {
            comparing.requiredAttribute = known.bytes
        }
        do throws(PoolFailure) {
            let contents = try await namespace.core.read(known.object, comparing)
            if contents.size == nil || contents.size == header.size { return (header, contents) }
        } catch {
            guard error.kind == .differs else { throw error.readError }
        }
        return try await readWithHeader(shard, query)
    }

    /// Reads parts of a shard with the bytes of its header.
    nonisolated(nonsending) func readWithHeader(
        _ shard: Int, _ query: ObjectQuery
    ) async throws(StorageError) -> (header: ShardHeader, contents: ObjectContents) {
        var query = query
        query.attribute = true
        query.size = true
        query.snapshot = moment?.snapshot
        let contents: ObjectContents
        do throws(PoolFailure) {
            contents = try await namespace.core.read(namespace.object(shard), query)
        } catch {
            guard error.kind == .missing, moment != nil else { throw error.readError }
            throw StorageError(.closed, "the snapshot was released, or its lease has ended")
        }
        guard let bytes = contents.attribute else { throw .corruption("a shard has no header index=\(shard)") }
        let header = try namespace.header(shard, bytes)
        guard contents.size == header.size else {
            throw .corruption("the size of a shard is not that of its header index=\(shard)")
        }
        if moment == nil { namespace.keep(header, of: shard) }
        return (header, contents)
    }

    // MARK: Keys

    /// The result of looking a key up.
    struct LookUp {
        /// `nil` if there is no entry that a reader sees.
        let found: FoundEntry?
        /// The bytes of the entry as it is stored, also of one that no reader sees; empty if there is none.
        let stored: [UInt8]
        /// The header of the shard at the same moment.
        let header: ShardHeader
    }

    nonisolated(nonsending) func lookUp(_ key: [UInt8]) async throws(StorageError) -> LookUp {
        let (stored, index, header) = try await stored(key)
        guard let index else { return LookUp(found: nil, stored: [], header: header) }
        let found = try visible(stored.value(at: index), key, header)
        return LookUp(found: found, stored: [UInt8](copying: stored.value(at: index)), header: header)
    }

    nonisolated(nonsending) func entry(_ key: [UInt8]) async throws(StorageError) -> AsyncEntry? {
        let (stored, index, header) = try await stored(key)
        guard let index else { return nil }
        let frame = try EntryFrame(stored.value(at: index), namespace: namespace.record.id, key: key.span)
        guard sees(frame, header) else { return nil }
        if let entry = try stored.shared(at: index, frame, namespace.core.codecs, key: { (_) in key[...] }) {
            return entry
        }
        return try await delivered(FoundEntry(key: key, entry: try ClusterEntry(frame, stored.value(at: index))))
    }

    /// Returns the entry of a key as it is stored, perhaps among others, and the header of its shard at the same
    /// moment. Its index is `nil` if there is none.
    private nonisolated(nonsending) func stored(
        _ key: [UInt8]
    ) async throws(StorageError) -> (entries: ObjectEntries, index: Int?, header: ShardHeader) {
        try ClusterNamespace.checkKey(key)
        let name = EntryName.name(of: key)
        let (header, found) = try await found([name], in: namespace.shard(of: key))
        return (found, found.index(of: name.span), header)
    }

    /// Finds the entries with some names of a shard, perhaps with others, at one moment.
    private nonisolated(nonsending) func found(
        _ names: [[UInt8]], in shard: Int
    ) async throws(StorageError) -> (header: ShardHeader, entries: ObjectEntries) {
        var query = ObjectQuery()
        query.names = names
        let (header, contents) = try await read(shard, query)
        return (header, contents.found)
    }

    nonisolated(nonsending) func entries(_ keys: [EntryKey]) async throws(StorageError) -> [AsyncEntry?] {
        var indexes: [Int: [Int]] = [:]
        for (index, key) in keys.enumerated() {
            try ClusterNamespace.checkKey(key.bytes)
            indexes[namespace.shard(of: key.bytes), default: []].append(index)
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

    /// Returns the entries of keys of one shard, at one moment.
    private nonisolated(nonsending) func lookUp(
        _ keys: [[UInt8]], in shard: Int
    ) async throws(StorageError) -> [AsyncEntry?] {
        let names = keys.map { EntryName.name(of: $0) }
        let (header, stored) = try await found(names, in: shard)
        var entries: [AsyncEntry?] = []
        for (key, name) in zip(keys, names) {
            guard let index = stored.index(of: name.span),
                let found = try visible(stored.value(at: index), key, header)
            else {
                entries.append(nil)
                continue
            }
            entries.append(try await delivered(found))
        }
        return entries
    }

    // MARK: Entries

    /// Returns the entry with the given bytes; `nil` if it is erased or expired.
    func visible(_ bytes: Span<UInt8>, _ key: [UInt8], _ header: ShardHeader) throws(StorageError) -> FoundEntry? {
        let frame = try EntryFrame(bytes, namespace: namespace.record.id, key: key.span)
        return sees(frame, header) ? FoundEntry(key: key, entry: try ClusterEntry(frame, bytes)) : nil
    }

    /// True unless an entry is erased or expired.
    func sees(_ entry: EntryFrame, _ header: ShardHeader) -> Bool {
        guard !header.erases(entry.generation, isPurgeable: entry.isPurgeable) else { return false }
        // Without an expiry the clock is not read.
        guard let end = entry.expiresAtMilliseconds else { return true }
        return end > moment?.now ?? namespace.core.now
    }

    /// Returns an entry with its value, which is read if it has an object of its own. If the entry was replaced since
    /// and the object is gone, returns the present one; `nil` if there is none.
    nonisolated(nonsending) func delivered(_ found: FoundEntry) async throws(StorageError) -> AsyncEntry? {
        if let entry = try deliveredAtOnce(found) { return entry }
        var found = found
        while true {
            switch found.entry.content {
            case .envelope(let envelope): return try await delivered(found, envelope)
            case .large(let value):
                if let envelope = try await namespace.envelope(of: value) {
                    return try await delivered(found, envelope)
                }
                guard let present = try await lookUp(found.key).found else { return nil }
                guard present.entry.large != value else { throw .corruption("the object of a value is missing") }
                found = present
            }
        }
    }

    /// Returns an entry whose value is in its shard and not encrypted; `nil` for another one.
    func deliveredAtOnce(_ found: FoundEntry) throws(StorageError) -> AsyncEntry? {
        guard case .envelope(let envelope) = found.entry.content else { return nil }
        let info = try info(found, envelope)
        return info.isEncrypted ? nil : entry(found, envelope, info)
    }

    private func info(_ found: FoundEntry, _ envelope: [UInt8]) throws(StorageError) -> ValueInfo {
        try unsafe ValueInfo(
            envelope: envelope.span.bytes, isPurgeable: found.entry.isPurgeable,
            expiresAtMilliseconds: found.entry.expiresAtMilliseconds)
    }

    private func entry(_ found: FoundEntry, _ envelope: [UInt8], _ info: ValueInfo) -> AsyncEntry {
        AsyncEntry(key: found.key[...], envelope: envelope[...], info: info, codecs: namespace.core.codecs)
    }

    private nonisolated(nonsending) func delivered(
        _ found: FoundEntry, _ envelope: [UInt8]
    ) async throws(StorageError) -> AsyncEntry {
        let info = try info(found, envelope)
        guard info.isEncrypted else { return entry(found, envelope, info) }
        let plain = try await namespace.keyring(opening: envelope).opened(
            envelope, key: found.key, isPurgeable: found.entry.isPurgeable,
            expiresAtMilliseconds: found.entry.expiresAtMilliseconds)
        return entry(found, plain, info)
    }
}

/// An entry that a reader sees, before its value is read.
struct FoundEntry: Sendable {
    let key: [UInt8]
    let entry: ClusterEntry
}
