public import ShaleBase

/// The result of a removal pass, or what it would remove.
public struct ClusterPurgeReport: Sendable, Hashable {
    /// The number of entries that were removed.
    public internal(set) var entries = 0
    /// The bytes of the names and values of those entries, as they are stored once. The cluster stores them with each
    /// replica, and returns their space when its own compaction runs.
    public internal(set) var bytes = 0
    /// The number of entries that were examined.
    public internal(set) var examined = 0
}

extension ClusterNamespace {
    /// Removes all entries that are purgeable: no read that begins after the return finds one of them, whatever is
    /// written meanwhile. ``reclaim(dryRun:)`` removes them from the cluster.
    ///
    /// One operation for each shard, whatever it holds. If the call fails, some shards may have been purged; call it
    /// again.
    ///
    /// - Complexity: O(shards), 16 at a time.
    public nonisolated(nonsending) func purgeNow() async throws(StorageError) {
        try await changeHeaders { $0.purging() }
    }

    /// Removes all entries, as ``purgeNow()`` does with those that are purgeable.
    public nonisolated(nonsending) func truncate() async throws(StorageError) {
        try await changeHeaders { $0.truncating() }
    }

    /// Ends the uncertainty that `.indeterminate` leaves: no write of a key of this partition that was sent before the
    /// call happens after its return. Then a read tells whether the write happened.
    ///
    /// A write without an answer may still be in the queue of an OSD, behind later writes of other clients. It compares
    /// the header of its shard, which this changes. Writes of clients that wait for their answer are repeated.
    public nonisolated(nonsending) func fence(forKey key: some StoreKey) async throws(StorageError) {
        try await changeHeader(shard(of: try key.keyBytes)) { $0.advanced() }
    }

    private nonisolated(nonsending) func changeHeaders(
        _ change: @escaping @Sendable (ShardHeader) -> ShardHeader
    ) async throws(StorageError) {
        try await concurrently(0..<record.shards) { (shard) throws(StorageError) in
            try await self.changeHeader(shard, change)
        }
    }

    private nonisolated(nonsending) func changeHeader(
        _ shard: Int, _ change: (ShardHeader) -> ShardHeader
    ) async throws(StorageError) {
        while true {
            let header = try await currentHeader(shard)
            let changed = change(header)
            if try await self.change(shard, under: header, [.setAttribute(changed.bytes)]) {
                return keep(changed, of: shard)
            }
        }
    }

    /// Returns what ``purgeNow()`` would remove now. Reads all entries.
    public nonisolated(nonsending) func purgeDryRun() async throws(StorageError) -> ClusterPurgeReport {
        let now = core.now
        return try await pass { (entry, header) in
            !header.erases(entry) && !entry.isExpired(at: now) && entry.isPurgeable
        } remove: { (_, _) in
            true
        }
    }

    /// Removes entries from the cluster that no reader sees: those that a purge or truncation has erased, and those
    /// that expired longer ago than clocks may differ (``ClusterStore/Options/clockTolerance``).
    ///
    /// An entry that is written meanwhile stays: its bytes are compared in the operation that removes it. A pass that
    /// was interrupted has removed a part, and a new one removes the rest. Run it at intervals, from one client.
    ///
    /// - Parameter dryRun: If true, reports what would be removed, and removes nothing.
    /// - Complexity: O(entries). Reads pages of 256 entries of one shard after the other.
    public nonisolated(nonsending) func reclaim(
        dryRun: Bool = false
    ) async throws(StorageError) -> ClusterPurgeReport {
        let expiredBefore = core.now - core.options.clockTolerance.roundedMilliseconds
        return try await pass { (entry, header) in
            header.erases(entry) || entry.isExpired(at: expiredBefore)
        } remove: { (shard, entries) throws(StorageError) in
            guard !dryRun else { return true }
            return try await self.remove(entries, from: shard)
        }
    }

    /// Passes the entries of each page that match to `remove`, and counts those that it says to have removed.
    private nonisolated(nonsending) func pass(
        _ matches: (ClusterEntry, ShardHeader) -> Bool,
        remove: (Int, [ObjectEntry]) async throws(StorageError) -> Bool
    ) async throws(StorageError) -> ClusterPurgeReport {
        var report = ClusterPurgeReport()
        for shard in 0..<record.shards {
            var query = ObjectQuery()
            var position = EntryName.prefix
            var hasMore = true
            while hasMore {
                query.page = ObjectQuery.Page(
                    prefix: EntryName.prefix, after: position, limit: ClusterLimits.entriesInPage)
                let (header, contents) = try await read(shard, query)
                var matching: [ObjectEntry] = []
                for found in contents.page {
                    let entry = try ClusterEntry(
                        found.value, namespace: record.id, key: try EntryName.key(of: found.name))
                    if matches(entry, header) { matching.append(found) }
                }
                report.examined += contents.page.count
                if !matching.isEmpty, try await remove(shard, matching) { report.add(matching) }
                hasMore = contents.hasMore
                position = contents.page.last?.name ?? position
            }
        }
        return report
    }

    /// Removes entries that still have the same bytes. If one of them was written meanwhile, none is removed, and the
    /// next pass meets the others again.
    private nonisolated(nonsending) func remove(
        _ entries: [ObjectEntry], from shard: Int
    ) async throws(StorageError) -> Bool {
        var steps: [ObjectChange.Step] = [.requireObject]
        for entry in entries { steps.append(.requireEntry(name: entry.name, value: entry.value)) }
        steps.append(.removeEntries(entries.map(\.name)))
        do throws(PoolFailure) {
            try await core.write(object(shard), ObjectChange(steps))
            return true
        } catch {
            guard error.kind == .differs else { throw error.writeError }
            return false
        }
    }
}

extension ClusterPurgeReport {
    fileprivate mutating func add(_ removed: [ObjectEntry]) {
        entries += removed.count
        bytes += removed.reduce(0) { $0 + $1.name.count + $1.value.count }
    }
}
