import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store {
    /// Removes every purgeable entry of the scope and then frees its disk space, together with the space of all other
    /// dead data.
    ///
    /// 1. The logical part is durable and takes effect at once, however many entries there are. Only snapshots and
    ///    scans that began before still see the entries. A purged key reads as absent: older versions of it don't
    ///    become visible again. Later writes are not affected.
    /// 2. In the scope `.all`, everything registered with ``registerPurgeable(_:under:)`` is cleaned up.
    /// 3. The physical part compacts segments on the calling thread. `progress` is called about every MiB and at the
    ///    end, and may throw to cancel. The logical part and finished steps stay done.
    ///
    /// `.policies` removes only the entries that each namespace's ``PurgePolicy`` selects, and files of paths with
    /// limits. The entries are removed in small transactions. If any entry was removed, the whole store is then
    /// compacted.
    ///
    /// - Throws: `.readOnly`, `.closed`, `.poisoned`, `.ioFailure`, `.corruption` and the errors of `progress`.
    /// - Complexity: O(stored bytes of the segments with dead entries). With `.policies`: O(entries) of the namespaces
    ///   where something may be due, plus O(stored bytes of the store) if any entry was removed.
    @discardableResult
    public func purge(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
        progress: @escaping (PurgeProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> PurgeReport {
        try purge(scope, rule, progress) { $0 }
    }

    /// Does the same for a `progress` that throws errors of any type. Its error reaches the caller unchanged.
    @discardableResult
    public func purge(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
        progress: @escaping (PurgeProgress) throws -> Void
    ) throws -> PurgeReport {
        try purge(scope, rule, progress) { $0 }
    }

    private func purge<Failure: Error>(
        _ scope: PurgeScope, _ rule: PurgeRule, _ progress: @escaping (PurgeProgress) throws(Failure) -> Void,
        _ failure: (StorageError) -> Failure
    ) throws(Failure) -> PurgeReport {
        try CallerError.relay(progress, failure) { (progress) throws(StorageError) in
            switch rule {
            case .everything: try core.purgeEverything(scope, progress)
            case .policies: try core.purgeByPolicies(scope, progress)
            }
        }
    }

    /// Does the same on a separate thread, without blocking the caller's thread.
    ///
    /// Cancelling the task cancels the physical part, which then throws `.cancelled`.
    @discardableResult
    public nonisolated(nonsending) func purge(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything,
        progress: @escaping @Sendable (PurgeProgress) -> Void = { _ in }
    ) async throws(StorageError) -> PurgeReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.purge(scope, by: rule, progress: report)
        }
    }

    /// Does only the logical part of a purge, durable on return. Compaction in the background or the next
    /// ``purge(_:by:progress:)`` frees the disk space.
    ///
    /// - Complexity: O(namespaces of the scope × segments), for the report.
    @discardableResult
    public func purgeNow(_ scope: PurgeScope = .all) throws(StorageError) -> PurgeReport {
        let before = try core.purgeableStatistics(scope)
        try core.purge(scope)
        return PurgeReport(
            entries: before.entries, logicalBytes: before.rawBytes, returnedBytes: 0, isEstimate: false)
    }

    /// Estimates what a purge would do, without doing it.
    ///
    /// The figures come from statistics. They include purged entries that still take space; data that has not been
    /// flushed counts no space. With `.policies` the entries are found as the purge would find them, and their share of
    /// the stored bytes is estimated.
    ///
    /// - Complexity: O(namespaces × segments). With `.policies`: additionally O(entries) of the namespaces where
    ///   something may be due.
    public func purgeDryRun(
        _ scope: PurgeScope = .all, by rule: PurgeRule = .everything
    ) throws(StorageError) -> PurgeReport {
        if rule == .policies { return try core.policyDryRun(scope) }
        let figures = try core.purgeableStatistics(scope)
        return PurgeReport(
            entries: figures.entries, logicalBytes: figures.rawBytes, returnedBytes: Int64(figures.storedBytes),
            isEstimate: true, outside: try core.purgeOutside(scope, isDry: true, .everything) {})
    }
}

extension StoreCore {
    fileprivate func purgeEverything(
        _ scope: PurgeScope, _ progress: @escaping (PurgeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> PurgeReport {
        let before = try purgeableStatistics(scope)
        let bytesBefore = try diskBytes
        try purge(scope)
        let outside = try purgeOutside(scope, isDry: false, .everything) { () throws(StorageError) in
            try progress(PurgeProgress(phase: .outside, fraction: 0, estimatedRemaining: nil))
        }
        let time = options.engine.time
        let start = time.monotonicNanoseconds
        try engine.reclaim { (step) throws(StorageError) in
            try progress(PurgeProgress(.reclaiming, step.fraction, nanoseconds: time.monotonicNanoseconds &- start))
        }
        try progress(PurgeProgress(phase: .reclaiming, fraction: 1, estimatedRemaining: .zero))
        var report = try purgeableStatistics(scope).report(
            since: before, returnedBytes: bytesBefore - (try diskBytes))
        report.outside = outside
        return report
    }

    /// Cleans up the registered paths and handlers if the scope is `.all`.
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

/// The namespaces that a purge covers.
public enum PurgeScope: Sendable, Hashable {
    /// Every namespace of the store.
    case all
    /// The common namespaces.
    case common
    /// All namespaces of a user.
    case user(String)
    /// One namespace, without those below it.
    case namespace(Store.Namespace)
    /// A namespace and all namespaces below it.
    case subtree(Store.Namespace)
}

extension StoreCore {
    /// Returns the namespaces that a scope covers now. O(namespaces of the store).
    func descriptions(in scope: PurgeScope) throws(StorageError) -> [NamespaceDescription] {
        switch scope {
        case .all: return engine.namespaces
        case .common: return descriptions(atAndBelow: NamespaceName(owner: .common, components: []))
        case .user(let id): return descriptions(atAndBelow: NamespaceName(owner: .user(id), components: []))
        case .namespace(let namespace):
            try requireOwn(namespace)
            return try namespace.state.description().map { [$0] } ?? []
        case .subtree(let namespace):
            try requireOwn(namespace)
            _ = try namespace.state.name.checkedBytes()
            return descriptions(atAndBelow: namespace.state.name)
        }
    }
}
