import ShaleBase
import ShalePlatform
import Synchronization

/// A flag that the caller of some work sets to cancel it. Thread-safe.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    func check() throws(StorageError) {
        if isCancelled.load(ordering: .acquiring) { throw StorageError(.cancelled, "the work was cancelled") }
    }
}

/// Runs work that blocks in the kernel for long on a thread of its own. The threads of the task pool are few, and a
/// blocked one delays other tasks.
enum DedicatedThread {
    /// Runs `work` on a new thread and suspends until it has ended. If the task is cancelled, `work` sees it in its
    /// `Cancellation` and decides whether to stop.
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
