import ShaleBase
import ShalePlatform

extension Store {
    /// Purges: every purgeable entry of the scope is gone at once for everybody but older snapshots, however many there
    /// are, durably; then their disk space is given back, and with it that of all else that is dead. A purged entry hides
    /// older versions of its key: nothing comes back. Later writes are not concerned.
    ///
    /// The second part is O(stored bytes of the segments with dead entries) and runs on the calling thread. `progress`
    /// is called about every MiB and at the end, and may throw to cancel: what was purged stays purged, and finished steps
    /// stay.
    ///
    /// In the scope `.all` what was registered with ``registerPurgeable(_:under:)`` is cleaned up between the two parts.
    ///
    /// By `.policies` those entries go that the namespaces' ``PurgePolicy`` names, and paths that have limits: they are
    /// looked for, O(entries) where something is due, and removed in small transactions; then the whole store is compacted,
    /// O(stored bytes), if anything went.
    ///
    /// Errors: `.readOnly`, `.closed`, `.poisoned`, `.ioFailure`, `.corruption` and what `progress` throws.
    @discardableResult
    public func purge(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
        progress: @escaping (PurgeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> PurgeReport {
        if rule == .policies { return try core.purgeByPolicies(scope, progress) }
        let before = try core.purgeFigures(scope)
        let bytesBefore = try core.diskBytes
        try core.purge(scope)
        let outside = try core.purgeOutside(scope, isDry: false, .everything) { () throws(StorageError) in
            try progress(PurgeProgress(phase: .outside, fraction: 0, estimatedRemaining: nil))
        }
        let time = core.options.engine.time
        let start = time.monotonicNanoseconds
        try core.engine.reclaim { (step) throws(StorageError) in
            try progress(PurgeProgress(.reclaiming, step.fraction, nanoseconds: time.monotonicNanoseconds &- start))
        }
        try progress(PurgeProgress(phase: .reclaiming, fraction: 1, estimatedRemaining: .zero))
        var report = try core.purgeFigures(scope).report(
            since: before, returnedBytes: bytesBefore - (try core.diskBytes))
        report.outside = outside
        return report
    }

    /// The same without keeping a thread of the caller's waiting: the work runs on a thread of its own. Cancelling the
    /// task cancels the physical part, which then throws `.cancelled`.
    @discardableResult
    public nonisolated(nonsending) func purge(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
        progress: @escaping @Sendable (PurgeProgress) -> Void = { _ in }
    ) async throws(StorageError) -> PurgeReport {
        try await OwnThread.run("shale-purge") { (cancellation) throws(StorageError) in
            try self.purge(scope, by: rule) { (step) throws(StorageError) in
                progress(step)
                try cancellation.check()
            }
        }
    }

    /// The logical part of a purge alone: O(namespaces of the scope) and durable on return. Disk space follows with
    /// compaction in the background, or with the next ``purge(_:by:progress:)``.
    @discardableResult
    public func purgeNow(_ scope: PurgeScope = .all) throws(StorageError) -> PurgeReport {
        let before = try core.purgeFigures(scope)
        try core.purge(scope)
        return PurgeReport(
            entries: before.entries, logicalBytes: before.rawBytes, returnedBytes: 0, isEstimate: false)
    }

    /// What a purge would do, from statistics, without doing it. O(namespaces × segments). Entries that are purged
    /// already and still take space are counted; what has not been flushed yet takes no space. By `.policies` the entries
    /// are looked for, as the purge would; their share of the stored bytes is estimated.
    public func purgeDryRun(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything
    ) throws(StorageError) -> PurgeReport {
        if rule == .policies { return try core.policyDryRun(scope) }
        let figures = try core.purgeFigures(scope)
        return PurgeReport(
            entries: figures.entries, logicalBytes: figures.rawBytes, returnedBytes: Int64(figures.storedBytes),
            isEstimate: true, outside: try core.purgeOutside(scope, isDry: true, .everything) {})
    }
}

extension StoreCore {
    /// What is registered besides the store's entries, in a purge of everything.
    func purgeOutside(
        _ scope: PurgeScope, isDry: Bool, _ rule: PurgeRule,
        _ check: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) -> [PurgeableReport] {
        guard scope == .all else { return [] }
        return try purgeRegistry.run(atMilliseconds: engine.trustedMilliseconds, isDry: isDry, rule: rule, check)
    }

    func purge(_ scope: PurgeScope) throws(StorageError) {
        try control { () throws(StorageError) in
            try descriptions(in: scope)
        } _: { (ids) throws(StorageError) in
            try engine.purge(ids)
        }
    }
}
