import ShaleBase
import ShalePlatform

extension StoreCore {
    /// Applies the policies of the namespaces of a scope. Compaction frees the disk space later.
    func applyPolicies(
        _ scope: PurgeScope, isDry: Bool, _ progress: @escaping (Double) throws(StorageError) -> Void
    ) throws(StorageError) -> PolicyRun.Outcome {
        try requireOpen()
        guard isDry || options.engine.mode != .readOnly else {
            throw StorageError(.readOnly, "the store was opened for reading only")
        }
        var total = PolicyRun.Outcome()
        let policies = try policies(in: scope)
        for (index, (id, stored)) in policies.enumerated() {
            if stored.policy.order == .leastRecentlyUsedFirst { try prepareUses() }
            let run = PolicyRun(core: self, id: id, stored: stored, isDry: isDry) { (share) throws(StorageError) in
                try progress((Double(index) + share) / Double(policies.count))
            }
            do throws(StorageError) {
                guard let outcome = try run.run() else { continue }
                total.entries += outcome.entries
                total.bytes += outcome.bytes
                total.damage.add(outcome.damage)
                if !isDry { oldestKnown.withLock { $0[id] = outcome.oldest } }
            } catch {
                switch error.code {
                // A namespace dropped meanwhile has nothing left to purge.
                case .namespaceDropped: continue
                // Damage in one namespace does not keep the policies of the others from being applied.
                case .corruption: total.damage.note(error)
                default: throw error
                }
            }
        }
        if !isDry { try keepUses() }
        return total
    }

    /// Returns a lower bound on the times of a namespace's purgeable entries; `nil` if unknown. It stays valid because
    /// later writes are newer.
    func oldestKnown(of id: NamespaceID) -> Int64? { oldestKnown.withLock { $0[id] } }

    private func policies(in scope: PurgeScope) throws(StorageError) -> [(NamespaceID, StoredPolicy)] {
        var found: [(NamespaceID, StoredPolicy)] = []
        for description in try descriptions(in: scope) where NamespaceName(bytes: description.name) != nil {
            if let policy = try CatalogueOptions(bytes: description.options).policy {
                found.append((description.id, policy))
            }
        }
        let live = Set(found.map(\.0))
        if scope == .all { oldestKnown.withLock { $0 = $0.filter { live.contains($0.key) } } }
        return found
    }

    /// True if any namespace has a purge policy. A namespace whose options can't be decoded counts as having one, so
    /// that applying the policies reports the error.
    var hasPolicies: Bool {
        guard options.engine.mode != .readOnly else { return false }
        do throws(StorageError) {
            return try !policies(in: .all).isEmpty
        } catch {
            return true
        }
    }
}

/// Purges by policy that a caller waits for.
extension StoreCore {
    /// The share of the progress for finding and removing entries; compaction is the rest.
    private static let searchShare = 0.4

    func purgeByPolicies(
        _ scope: PurgeScope, _ progress: @escaping (PurgeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> PurgeReport {
        let before = try diskBytes
        // An entry in a memtable takes space in its log until the memtable is flushed.
        try engine.flush()
        let time = options.engine.time
        let start = time.monotonicNanoseconds
        func report(_ phase: PurgeProgress.Phase, _ fraction: Double) throws(StorageError) {
            try progress(PurgeProgress(phase, fraction, nanoseconds: time.monotonicNanoseconds &- start))
        }
        let outcome = try applyPolicies(scope, isDry: false) { (share) throws(StorageError) in
            try report(.removing, share * StoreCore.searchShare)
        }
        let outside = try purgeOutside(scope, isDry: false, .policies) { () throws(StorageError) in
            try report(.outside, StoreCore.searchShare)
        }
        if outcome.entries > 0 {
            try engine.compact { (step) throws(StorageError) in
                try report(.reclaiming, StoreCore.searchShare + step.fraction * (1 - StoreCore.searchShare))
            }
            // Deletes replaced files, so that the report counts what the file system has freed.
            try engine.deleteReplacedFiles()
        }
        try progress(PurgeProgress(phase: .reclaiming, fraction: 1, estimatedRemaining: .zero))
        return PurgeReport(
            entries: outcome.entries, logicalBytes: UInt64(outcome.bytes),
            returnedBytes: before - (try diskBytes), isEstimate: false, outside: outside,
            damage: outcome.damage)
    }

    func policyDryRun(_ scope: PurgeScope) throws(StorageError) -> PurgeReport {
        let outcome = try applyPolicies(scope, isDry: true) { _ in }
        let figures = try purgeableStatistics(scope)
        let share = figures.rawBytes > 0 ? Double(outcome.bytes) / Double(figures.rawBytes) : 0
        return PurgeReport(
            entries: outcome.entries, logicalBytes: UInt64(outcome.bytes),
            returnedBytes: Int64(figures.storedBytes * min(1, share)), isEstimate: true,
            outside: try purgeOutside(scope, isDry: true, .policies) {}, damage: outcome.damage)
    }
}

extension PurgeProgress {
    /// Estimates the remaining time. `nanoseconds` is the time taken so far.
    init(_ phase: Phase, _ fraction: Double, nanoseconds: UInt64) {
        self.phase = phase
        self.fraction = fraction
        estimatedRemaining =
            fraction > 0 ? .nanoseconds(Int64(Double(nanoseconds) * (1 - fraction) / fraction)) : nil
    }
}
