package import ShaleBase
import Synchronization

/// A flag that the caller of some work sets to cancel it. Thread-safe.
package final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    package init() {}

    package func cancel() { isCancelled.store(true, ordering: .releasing) }

    package func check() throws(StorageError) {
        if isCancelled.load(ordering: .acquiring) { throw StorageError(.cancelled, "the work was cancelled") }
    }
}

/// Runs work that blocks in the kernel on threads of its own, for `async` functions. The threads of the task pool are
/// few, and a blocked one delays other tasks.
///
/// At most ``threadsMax`` threads run at once; more work waits in a queue, in order. A thread ends when the queue is
/// empty: making one takes some ten microseconds, much less than a sync. So an idle process has no such thread, and a
/// child made by `fork` misses none.
package enum BlockingWork {
    /// The largest number of threads. Concurrent synced commits share syncs, so they need many threads and little else.
    package static let threadsMax = 64

    private struct State: Sendable {
        var queue: [@Sendable () -> Void] = []
        var threads = 0
        /// The process that the numbers belong to.
        var process = ForkWatch.shared.mark
    }

    private static let state = Locked(State())

    /// Runs `work` on a thread of its own and suspends until it has ended.
    ///
    /// If the task is cancelled before `work` starts, `work` does not run and the call throws `.cancelled`. A later
    /// cancellation is visible in the `Cancellation`, and `work` decides whether to stop. Without `isCancellable`,
    /// `work` always runs.
    package nonisolated(nonsending) static func run<R: Sendable>(
        isCancellable: Bool = true, _ work: @escaping @Sendable (Cancellation) throws(StorageError) -> R
    ) async throws(StorageError) -> R {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<R, StorageError>, Never>) in
                let failure = enqueue {
                    do throws(StorageError) {
                        if isCancellable { try cancellation.check() }
                        continuation.resume(returning: .success(try work(cancellation)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
                if let failure { continuation.resume(returning: .failure(failure.storageError)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    /// Runs `work` as ``run(isCancellable:_:)`` does, with a function for its progress. The function passes each step
    /// to `progress`, and throws `.cancelled` once the task is cancelled.
    package nonisolated(nonsending) static func run<R: Sendable, Step>(
        reportingTo progress: @escaping @Sendable (Step) -> Void,
        _ work:
            @escaping @Sendable (
                _ report: @escaping (Step) throws(StorageError) -> Void
            ) throws(StorageError) -> R
    ) async throws(StorageError) -> R {
        try await run { (cancellation) throws(StorageError) in
            try work { (step) throws(StorageError) in
                progress(step)
                try cancellation.check()
            }
        }
    }

    /// Throws `.cancelled` if the current task is cancelled. For work that runs on the caller's thread.
    package nonisolated(nonsending) static func checkCancellation() async throws(StorageError) {
        if Task.isCancelled { throw StorageError(.cancelled, "the work was cancelled") }
    }

    /// Adds a job. Returns the failure if there is no thread for it; the job then never runs.
    private static func enqueue(_ job: @escaping @Sendable () -> Void) -> IOFailure? {
        let needsThread = state.withLock { state in
            if state.process.isInChild { state = State() }
            guard state.threads < threadsMax else {
                state.queue.append(job)
                return false
            }
            state.threads += 1
            return true
        }
        guard needsThread else { return nil }
        do throws(IOFailure) {
            _ = try WorkerThread.start(name: "shale-io") { drain(job) }
            return nil
        } catch {
            return refused(job, error)
        }
    }

    /// Takes back the count of a thread that could not be made. While other threads run, the job waits for one of them.
    private static func refused(_ job: @escaping @Sendable () -> Void, _ failure: IOFailure) -> IOFailure? {
        state.withLock { state in
            state.threads -= 1
            guard state.threads > 0 else { return failure }
            state.queue.append(job)
            return nil
        }
    }

    private static func drain(_ first: @Sendable () -> Void) {
        first()
        while let job = next() { job() }
    }

    private static func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }
}
