public import ShaleBase

/// The result of a removal pass, or what it would remove.
public struct ClusterPurgeReport: Sendable, Hashable {
    /// The number of entries that were removed.
    public internal(set) var entries = 0
    /// The bytes of the names and values of those entries, with large values, as they are stored once. The cluster
    /// stores them with each replica, and returns their space when its own compaction runs.
    public internal(set) var bytes = 0
    /// The number of objects of large values that no entry names any more, and that were removed.
    public internal(set) var objects = 0
    /// The number of snapshots whose holders have let their leases end, and that were released.
    public internal(set) var snapshots = 0
    /// The number of entries that were examined.
    public internal(set) var examined = 0
}

extension ClusterNamespace {
    /// Removes all entries that are purgeable: no read that begins after the return finds one of them, whatever is
    /// written meanwhile. ``reclaim(dryRun:progress:)`` removes them from the cluster.
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

    /// Changes the header of a shard. A snapshot gets the shard as it was before.
    nonisolated(nonsending) func changeHeader(
        _ shard: Int, snapshot: UInt64? = nil, _ change: (ShardHeader) -> ShardHeader
    ) async throws(StorageError) {
        while true {
            let header = try await currentHeader(shard)
            let changed = change(header)
            if try await self.change(shard, under: header, snapshot: snapshot, changed.steps) {
                return keep(changed, of: shard)
            }
        }
    }

    /// Returns what ``purgeNow()`` would remove now. Reads all entries.
    public nonisolated(nonsending) func purgeDryRun() async throws(StorageError) -> ClusterPurgeReport {
        let now = core.now
        return try await pass(reportingTo: { (_) in }) { (entry, header) in
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
    /// - Parameters:
    ///   - dryRun: If true, reports what would be removed, and removes nothing.
    ///   - progress: Called after each page with what was done until then.
    /// - Complexity: O(entries). Reads pages of 256 entries of one shard after the other.
    public nonisolated(nonsending) func reclaim(
        dryRun: Bool = false, progress: @Sendable (ClusterPurgeReport) -> Void = { (_) in }
    ) async throws(StorageError) -> ClusterPurgeReport {
        let expiredBefore = core.now - core.options.clockTolerance.roundedMilliseconds
        let ended = dryRun ? 0 : try await releaseEndedSnapshots()
        var report = try await pass(reportingTo: progress) { (entry, header) in
            header.erases(entry) || entry.isExpired(at: expiredBefore)
        } remove: { (page, entries) throws(StorageError) in
            guard !dryRun else { return true }
            return try await self.remove(entries, from: page)
        }
        report.snapshots = ended
        for shard in 0..<record.shards { report.objects += try await removeObjects(of: shard, dryRun: dryRun) }
        return report
    }

    /// A page of a shard that a pass looks at.
    private struct PassPage {
        let shard: Int
        let header: ShardHeader
        /// True if there may be snapshots that were taken before the header was read.
        let hasSnapshots: Bool
    }

    private typealias PassEntry = (stored: ObjectEntry, entry: ClusterEntry)

    /// Passes the entries of each page that match to `remove`, and counts those that it says to have removed. Reports
    /// after each page.
    private nonisolated(nonsending) func pass(
        reportingTo progress: @Sendable (ClusterPurgeReport) -> Void,
        _ matches: (ClusterEntry, ShardHeader) -> Bool,
        remove: (PassPage, [PassEntry]) async throws(StorageError) -> Bool
    ) async throws(StorageError) -> ClusterPurgeReport {
        var report = ClusterPurgeReport()
        for shard in 0..<record.shards {
            var query = ObjectQuery()
            var position = EntryName.prefix
            var hasMore = true
            while hasMore {
                query.page = ObjectQuery.Page(
                    prefix: EntryName.prefix, after: position, limit: ClusterLimits.entriesInPage)
                let (header, contents) = try await present.read(shard, query)
                var matching: [PassEntry] = []
                for found in contents.page {
                    let entry = try ClusterEntry(
                        found.value, namespace: record.id, key: try EntryName.key(of: found.name))
                    if matches(entry, header) { matching.append((found, entry)) }
                }
                report.examined += contents.page.count
                if !matching.isEmpty {
                    // Read after the header: see ClusterNamespace+Snapshots.
                    let hasLarge = matching.contains { $0.entry.large != nil }
                    let hasSnapshots = hasLarge ? try await !leases().isEmpty : false
                    let page = PassPage(shard: shard, header: header, hasSnapshots: hasSnapshots)
                    if try await remove(page, matching) { report.add(matching) }
                }
                hasMore = contents.hasMore
                position = contents.page.last?.name ?? position
                progress(report)
            }
        }
        return report
    }

    /// Removes entries that still have the same bytes, and abandons the objects of their values unless a snapshot may
    /// have them. If one of them was written meanwhile, or the header was changed, none is removed, and the next pass
    /// meets the others again.
    private nonisolated(nonsending) func remove(
        _ entries: [PassEntry], from page: PassPage
    ) async throws(StorageError) -> Bool {
        var steps: [ObjectChange.Step] = []
        for (stored, entry) in entries {
            steps.append(.requireEntry(name: stored.name, value: stored.value))
            guard let large = entry.large, !page.hasSnapshots else { continue }
            var note = ValueNote(id: large.id, time: core.now, key: try EntryName.key(of: stored.name))
            note.state = .abandoned
            steps.append(.setEntries([note.entry]))
        }
        steps.append(.removeEntries(entries.map(\.stored.name)))
        return try await change(page.shard, under: page.header, isTriedWithoutSpace: true, steps)
    }
}

extension ClusterPurgeReport {
    fileprivate mutating func add(_ removed: [(stored: ObjectEntry, entry: ClusterEntry)]) {
        entries += removed.count
        bytes += removed.reduce(0) { $0 + $1.stored.name.count + $1.stored.value.count + ($1.entry.large?.count ?? 0) }
    }
}
