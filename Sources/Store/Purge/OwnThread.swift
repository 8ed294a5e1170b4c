import ShaleBase
import ShalePlatform
import Synchronization

/// Whether whoever waits for some work has lost interest. Thread-safe.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    func check() throws(StorageError) {
        if isCancelled.load(ordering: .acquiring) { throw StorageError(.cancelled, "the work was cancelled") }
    }
}

/// Work that blocks in the kernel for long, for callers that must not: the threads that tasks share are few, and one
/// that waits for the disk is missing elsewhere.
enum OwnThread {
    /// Runs `work` on a new thread and suspends until it has ended. Cancelling the task is told to `work`, which decides.
    nonisolated(nonsending) static func run<R: Sendable>(
        _ name: String, _ work: @escaping @Sendable (Cancellation) throws(StorageError) -> R
    ) async throws(StorageError) -> R {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<R, StorageError>, Never>) in
                do throws(IOFailure) {
                    _ = try WorkerThread.start(name: name) {
                        do throws(StorageError) {
                            continuation.resume(returning: .success(try work(cancellation)))
                        } catch {
                            continuation.resume(returning: .failure(error))
                        }
                    }
                } catch {
                    continuation.resume(returning: .failure(error.storageError))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }
}
