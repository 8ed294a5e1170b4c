public import ShaleBase
import ShaleCompaction
import ShalePlatform

/// The functions that wait for the disk, for `async` callers.
///
/// They run on threads of the library and never block a thread of the task pool. A call whose task is cancelled before
/// it starts throws `.cancelled` and does nothing.
extension Engine {
    /// Makes every batch that has returned durable. If all of them are, the call returns without leaving the caller's
    /// thread. Otherwise it is ``sync()``.
    public nonisolated(nonsending) func sync() async throws(StorageError) {
        try await BlockingWork.checkCancellation()
        guard core.committer.syncWaits else { return try syncNow() }
        try await BlockingWork.run { (_) throws(StorageError) in try self.syncNow() }
    }

    /// Rewrites the tree, or its part in `scope`, into its last level. See ``compact(_:options:progress:)``.
    ///
    /// Cancelling the task ends the compaction with `.cancelled` at its next step, after about a MiB. Finished steps
    /// stay.
    @discardableResult
    public nonisolated(nonsending) func compact(
        _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
        progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
    ) async throws(StorageError) -> CompactionReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.core.compact(scope, options, report)
        }
    }

    /// Frees the disk space of erased and expired entries. See ``reclaim(progress:)``. Cancelling the task ends the
    /// work with `.cancelled` at its next step.
    @discardableResult
    public nonisolated(nonsending) func reclaim(
        progress: @escaping @Sendable (CompactionProgress) -> Void = { _ in }
    ) async throws(StorageError) -> CompactionReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.core.reclaim(report)
        }
    }

    /// Reads every live byte of the segments and checks it. See ``verify(threads:progress:)``. Cancelling the task ends
    /// the verification with `.cancelled`.
    public nonisolated(nonsending) func verify(
        threads: Int? = nil, progress: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StorageError) -> VerificationReport {
        try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try self.core.verify(threads: threads, report)
        }
    }

    /// Copies the store into the directory `path`, which must be missing or empty. See ``checkpoint(at:)``.
    public nonisolated(nonsending) func checkpoint(at path: String) async throws(StorageError) {
        try await BlockingWork.run { (_) throws(StorageError) in try self.core.checkpoint(at: path) }
    }

    private func syncNow() throws(StorageError) { try core.committer.syncLog() }

    /// True if a buffered commit may have to wait: writers are slowed down.
    package var slowsWriters: Bool { core.pacer.isActive }
}
