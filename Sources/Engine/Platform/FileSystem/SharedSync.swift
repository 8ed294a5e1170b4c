package import ShaleBase

/// The syncs of one descriptor that several threads ask for, one at a time.
///
/// The kernel reports a failed writeback to one of the syncs of a descriptor. If two threads that have made names in one
/// directory synced it by themselves, the first could get the error for the names of the second, and the second a success.
/// So:
///
/// 1. Syncs run one after the other. A caller gets the outcome of one that began after its call. Callers that wait
///    together share it.
/// 2. A failed sync fails everybody whose work it may have covered: each caller that had taken its ``mark`` before the
///    failure, whether or not it had asked for a sync by then. What it made may be lost although the next sync succeeds.
package final class SharedSync: @unchecked Sendable {
    /// Taken before the first change that is to be durable.
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

    /// Makes durable what was changed before the call. Throws the last failure of any sync since `mark`.
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

    /// Under `lock`, which is free while the sync runs.
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
