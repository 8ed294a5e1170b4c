import ShaleBase

/// Values over ``ClusterLimits/inlineBytes`` are in objects of their own.
///
/// A write makes a note in the shard, then the object, and then the entry, in an operation that compares the note. A
/// removal pass removes objects that no entry names, in three steps, each of which may be the last one of a client that
/// dies:
///
/// 1. The note becomes *abandoned*, if the entry still does not name the object. From then on no write can name it.
/// 2. The object is removed.
/// 3. The note is removed.
///
/// A reader may have the entry of a value that is replaced and removed then. It misses the object, and reads the entry
/// again.
extension ClusterNamespace {
    func valueObject(_ id: [UInt8]) -> ObjectName {
        ObjectName(namespace: name, name: "v.\(Hexadecimal.text(record.id)).\(Hexadecimal.text(id))")
    }

    /// Returns the envelope of a large value; `nil` if its object does not exist. Throws `.corruption` if it is
    /// damaged.
    nonisolated(nonsending) func envelope(of value: LargeValue) async throws(StorageError) -> [UInt8]? {
        var query = ObjectQuery()
        query.dataBytes = value.count
        let data: [UInt8]
        do throws(PoolFailure) {
            data = try await core.read(valueObject(value.id), query).data
        } catch {
            guard error.kind == .missing else { throw error.readError }
            return nil
        }
        guard value.matches(data) else { throw .corruption("the object of a value is damaged bytes=\(data.count)") }
        return data
    }

    /// Makes the objects of large values, with their notes in the shard. Returns the notes.
    nonisolated(nonsending) func makeObjects(
        _ values: [(key: [UInt8], value: LargeValue, envelope: [UInt8])], in shard: Int
    ) async throws(StorageError) -> [ValueNote] {
        guard !values.isEmpty else { return [] }
        let now = core.now
        let notes = values.map { ValueNote(id: $0.value.id, time: now, key: $0.key) }
        // Notes are small; without space the cluster refuses the objects.
        guard
            try await change(
                shard, isTriedWithoutSpace: true, { (_) in [.setEntries(ObjectEntries(notes.lazy.map(\.entry)))] })
        else {
            throw .corruption("a shard refused a note without a reason index=\(shard)")
        }
        try await concurrently(0..<values.count, limit: 4) { (index) throws(StorageError) in
            do throws(PoolFailure) {
                try await self.core.write(
                    self.valueObject(values[index].value.id), ObjectChange([.create, .setData(values[index].envelope)]))
            } catch {
                throw error.writeError
            }
        }
        return notes
    }

    /// Removes the objects of a shard that no entry names, and whose writers have had their time. With `isDropped` all
    /// of them. Returns the number of objects and their bytes, which are not known of those that are abandoned already.
    nonisolated(nonsending) func removeObjects(
        of shard: Int, isDropped: Bool = false, dryRun: Bool = false
    ) async throws(StorageError) -> Int {
        // The header before the leases: see ClusterNamespace+Snapshots.
        let header = isDropped ? nil : try await currentHeader(shard)
        let hasSnapshots = isDropped ? false : try await !leases().isEmpty
        var position = ValueNote.prefix
        var count = 0
        let begunBefore = core.now - core.options.writeTolerance.roundedMilliseconds
        while true {
            var query = ObjectQuery()
            query.page = ObjectQuery.Page(
                prefix: ValueNote.prefix, after: position, limit: ClusterLimits.entriesInPage)
            let contents = try await readAnyShard(shard, query)
            for found in contents.page {
                let note = try ValueNote(found)
                let isOld = note.time < begunBefore && !hasSnapshots
                guard isDropped || note.state == .abandoned || isOld else { continue }
                if dryRun {
                    let isUnused = note.state == .abandoned ? true : try await entryBeside(note, in: shard).isUnused
                    count += isUnused ? 1 : 0
                } else if try await remove(note, from: shard, under: header) {
                    count += 1
                }
            }
            guard contents.hasMore, let last = contents.page.last else { return count }
            position = last.name
        }
    }

    /// Returns the bytes of the entry that may name a note's value, and true if it does not.
    private nonisolated(nonsending) func entryBeside(
        _ note: ValueNote, in shard: Int
    ) async throws(StorageError) -> (name: [UInt8], bytes: [UInt8], isUnused: Bool) {
        let name = EntryName.name(of: note.key)
        var query = ObjectQuery()
        query.names = [name]
        guard let found = try await readAnyShard(shard, query).found.first else { return (name, [], true) }
        let entry = try ClusterEntry(found.value, namespace: record.id, key: note.key)
        return (name, found.value, entry.large?.id != note.id)
    }

    /// Removes the object of a note, and the note, in a shard that still has a header; `nil` if the shard is dropped.
    /// Returns false if an entry names the object.
    nonisolated(nonsending) func remove(
        _ note: ValueNote, from shard: Int, under header: ShardHeader?
    ) async throws(StorageError) -> Bool {
        var abandoned = note
        abandoned.state = .abandoned
        if let header, note.state != .abandoned {
            let beside = try await entryBeside(note, in: shard)
            guard beside.isUnused else { return false }
            let isAbandoned = try await change(
                shard, under: header, isTriedWithoutSpace: true,
                [
                    .requireEntry(name: beside.name, value: beside.bytes),
                    .requireEntry(name: note.name, value: note.bytes), .setEntries([abandoned.entry]),
                ])
            guard isAbandoned else { return false }
        }
        do throws(PoolFailure) {
            try await core.write(valueObject(note.id), ObjectChange([.requireObject, .removeObject]))
        } catch {
            guard error.kind == .missing else { throw error.writeError }
        }
        guard header != nil else { return true }
        do throws(PoolFailure) {
            try await core.write(
                object(shard),
                ObjectChange([
                    .requireObject, .requireEntry(name: note.name, value: abandoned.bytes),
                    .removeEntries([note.name]),
                ]))
            return true
        } catch {
            // Another pass has removed the note.
            guard error.kind == .differs else { throw error.writeError }
            return false
        }
    }

    /// Removes the objects of a write that did not happen.
    nonisolated(nonsending) func abandon(_ notes: [ValueNote], of shard: Int) async throws(StorageError) {
        guard !notes.isEmpty else { return }
        let header = try await currentHeader(shard)
        for note in notes { _ = try await remove(note, from: shard, under: header) }
    }

    /// Reads parts of a shard, whatever its header is.
    private nonisolated(nonsending) func readAnyShard(
        _ shard: Int, _ query: ObjectQuery
    ) async throws(StorageError) -> ObjectContents {
        do throws(PoolFailure) {
            return try await core.read(object(shard), query)
        } catch {
            throw error.readError
        }
    }
}
