public import ShaleBase

/// Snapshots are self-managed snapshots of RADOS. Their ids and the ends of their leases are entries of the namespace's
/// record: `n` and the id in hexadecimal, and i64 milliseconds since 1970. On the cluster, do not change.
///
/// 1. An id is made, and its lease is stored. From then on a pass finds the snapshot, whatever happens.
/// 2. The header of each shard gets the next generation, in a write under the snapshot: before it, the OSD copies the
///    shard. So the moment of a shard is that of this write, and no other client needs to know of the snapshot.
///
/// The objects of large values are not copied. A pass abandons none while there is a lease:
///
/// 1. It reads the header of a shard, then the leases, and abandons objects under that header only if there is no
///    lease.
/// 2. If a snapshot of the shard was taken before the header was read, its lease was stored earlier, and is found.
/// 3. If it is taken after, the header has changed, and the abandoning fails; or the object was abandoned before, and
///    then no entry of the snapshot names it.
extension ClusterNamespace {
    private static let leasePrefix = [UInt8(ascii: "n")]

    var recordObject: ObjectName { ObjectName(namespace: name, name: "shale") }

    private func leaseName(_ id: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: id.byteSwapped)
        return ClusterNamespace.leasePrefix + Array(Hexadecimal.text(bytes).utf8)
    }

    private func leaseEntry(_ id: UInt64, _ end: Int64) -> ObjectEntry {
        var value: [UInt8] = []
        value.append(littleEndian: end)
        return ObjectEntry(name: leaseName(id), value: value)
    }

    /// Takes a snapshot of the namespace. See ``ClusterSnapshot`` for its cost.
    ///
    /// - Parameter lease: The time for which the snapshot outlives its process, at least 1 s.
    /// - Throws: `.invalidArgument` for a shorter lease; the errors of writing.
    /// - Complexity: O(entries) in the OSDs; O(shards) here, 16 at a time.
    public nonisolated(nonsending) func snapshot(
        lease: Duration = .seconds(600)
    ) async throws(StorageError) -> ClusterSnapshot {
        guard lease >= .seconds(1) else { throw .invalid("the lease of a snapshot is shorter than 1 s") }
        let now = core.now
        let id = try await poolSnapshot()
        let leased = leaseEntry(id, now + lease.roundedMilliseconds)
        do throws(PoolFailure) {
            try await core.write(recordObject, ObjectChange([.requireObject, .setEntries([leased])]))
        } catch {
            throw error.writeError
        }
        try await concurrently(0..<record.shards) { (shard) throws(StorageError) in
            try await self.changeHeader(shard, snapshot: id) { $0.advanced() }
        }
        return ClusterSnapshot(self, id: id, takenAt: now, lease: lease)
    }

    private nonisolated(nonsending) func poolSnapshot() async throws(StorageError) -> UInt64 {
        do throws(PoolFailure) {
            return try await core.pool.makeSnapshot(in: name)
        } catch {
            throw error.writeError
        }
    }

    /// Moves the end of a lease. Returns false if there is none any more.
    nonisolated(nonsending) func renewLease(of id: UInt64, until end: Int64) async throws(StorageError) -> Bool {
        guard let known = try await leases().first(where: { $0.id == id }) else { return false }
        do throws(PoolFailure) {
            try await core.write(
                recordObject,
                ObjectChange([
                    .requireObject, .requireEntry(name: leaseName(id), value: leaseEntry(id, known.end).value),
                    .setEntries([leaseEntry(id, end)]),
                ]))
            return true
        } catch {
            guard error.kind == .differs else { throw error.writeError }
            return false
        }
    }

    /// Returns the snapshots that are registered.
    nonisolated(nonsending) func leases() async throws(StorageError) -> [(id: UInt64, end: Int64)] {
        var query = ObjectQuery()
        query.page = ObjectQuery.Page(
            prefix: ClusterNamespace.leasePrefix, after: ClusterNamespace.leasePrefix,
            limit: ClusterLimits.entriesInPage)
        var leases: [(id: UInt64, end: Int64)] = []
        while true {
            let contents: ObjectContents
            do throws(PoolFailure) {
                contents = try await core.read(recordObject, query)
            } catch {
                throw error.readError
            }
            for found in contents.page {
                let digits = String(decoding: found.name.dropFirst(), as: UTF8.self)
                guard let id = UInt64(digits, radix: 16), found.value.count == 8 else {
                    throw .corruption("the lease of a snapshot is not valid bytes=\(found.value.count)")
                }
                leases.append((id, found.value.littleEndian(at: 0)))
            }
            guard contents.hasMore, let last = contents.page.last else { return leases }
            query.page = ObjectQuery.Page(
                prefix: ClusterNamespace.leasePrefix, after: last.name, limit: ClusterLimits.entriesInPage)
        }
    }

    /// Removes a snapshot and its lease. May be repeated.
    nonisolated(nonsending) func releaseSnapshot(_ id: UInt64) async throws(StorageError) {
        do throws(PoolFailure) {
            try await core.pool.removeSnapshot(id, in: name)
            try await core.write(recordObject, ObjectChange([.requireObject, .removeEntries([leaseName(id)])]))
        } catch {
            throw error.writeError
        }
    }

    /// Removes the snapshots whose holders have let their leases end. Returns their number.
    nonisolated(nonsending) func releaseEndedSnapshots() async throws(StorageError) -> Int {
        let endedBefore = core.now - core.options.clockTolerance.roundedMilliseconds
        var count = 0
        for lease in try await leases() where lease.end < endedBefore {
            try await releaseSnapshot(lease.id)
            count += 1
        }
        return count
    }
}
