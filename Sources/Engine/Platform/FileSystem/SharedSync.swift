package import ShaleBase

/// Serializes the syncs of one descriptor that several threads request.
///
/// The kernel reports a failed writeback to only one of a descriptor's syncs. Suppose that two threads create names in
/// one directory and each syncs it. The first could then get the error for the second one's names, and the second a
/// success. So:
///
/// 1. Syncs run one after the other. A caller gets the outcome of a sync that began after its call. Callers that
///    wait at the same time share one sync.
/// 2. A failed sync fails every caller whose work it may have covered. These are all callers that took their ``mark``
///    before the failure, even if they had not called `sync` by then. Their names may be lost although the next sync
///    succeeds.
package final class SharedSync: @unchecked Sendable {
    /// A point in time, taken before the first change that has to become durable.
    package struct Mark: Sendable {
        fileprivate let failureCount: Int
    }

    private let body: @Sendable () throws(IOFailure) -> Void
    private let lock = Lock()
    private let changed: Condition

    // Under `lock`.
    private var isRunning = false
    private var beganCount = 0
    private var endedCount = 0
    private var failureCount = 0
    private var lastFailure: IOFailure?

    package init(_ body: @escaping @Sendable () throws(IOFailure) -> Void) {
        self.body = body
        changed = Condition(lock)
    }

    package var mark: Mark { lock.withLock { Mark(failureCount: failureCount) } }

    /// Makes durable what was changed before the call.
    ///
    /// - Throws: The last failure of any sync since `mark`.
    package func sync(since mark: Mark) throws(IOFailure) {
        lock.lock()
        defer { lock.unlock() }
        let mark = PlantedBug.isActive(.ignoreOthersNames) ? Mark(failureCount: failureCount) : mark
        let own = beganCount + 1
        while endedCount < own {
            if isRunning { changed.wait() } else { run() }
        }
        guard failureCount > mark.failureCount, let lastFailure else { return }
        throw lastFailure
    }

    /// Runs one sync. The caller holds `lock`, which is released during the sync.
    private func run() {
        isRunning = true
        beganCount += 1
        lock.unlock()
        var failure: IOFailure?
        do throws(IOFailure) { try body() } catch { failure = error }
        lock.lock()
        isRunning = false
        endedCount = beganCount
        if let failure {
            failureCount += 1
            lastFailure = failure
        }
        changed.broadcast()
    }
}
