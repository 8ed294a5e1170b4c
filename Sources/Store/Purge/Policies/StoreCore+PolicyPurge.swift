import ShaleBase
import ShalePlatform

/// Purges by policy that a caller waits for.
extension StoreCore {
    /// The share of the progress for finding and removing entries; compaction is the rest.
    private static let lookingShare = 0.4

    func purgeByPolicies(
        _ scope: PurgeScope, _ progress: @escaping (PurgeProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> PurgeReport {
        let before = try diskBytes
        // An entry in a memtable takes space in its log until the memtable is flushed.
        try engine.flush()
        let time = options.engine.time
        let start = time.monotonicNanoseconds
        func tell(_ phase: PurgeProgress.Phase, _ fraction: Double) throws(StorageError) {
            try progress(PurgeProgress(phase, fraction, nanoseconds: time.monotonicNanoseconds &- start))
        }
        let outcome = try applyPolicies(scope, isDry: false) { (share) throws(StorageError) in
            try tell(.removing, share * StoreCore.lookingShare)
        }
        let outside = try purgeOutside(scope, isDry: false, .policies) { () throws(StorageError) in
            try tell(.outside, StoreCore.lookingShare)
        }
        if outcome.entries > 0 {
            try engine.compact { (step) throws(StorageError) in
                try tell(.reclaiming, StoreCore.lookingShare + step.fraction * (1 - StoreCore.lookingShare))
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
        let figures = try purgeFigures(scope)
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
