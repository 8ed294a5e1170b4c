import Shale
import ShaleBase
import ShalePlatform

/// The commit of one step of a pass, on a thread of its own, while the next step is made. Thread-safe.
final class StepCommit: Sendable {
    private let transaction: PreparedTransaction
    private let outcome = Locked<Result<Void, StorageError>>(.success(()))
    private let thread = Locked<WorkerThread?>(nil)

    /// Begins to commit a transaction. If the system refuses a thread, the caller's commits it.
    init(_ transaction: PreparedTransaction) {
        self.transaction = transaction
        do {
            let started = try WorkerThread.start(name: "shale-index") { [self] in commit() }
            thread.withLock { $0 = started }
        } catch {
            commit()
        }
    }

    private func commit() {
        let result = Result { () throws(StorageError) in try transaction.commit() }
        outcome.withLock { $0 = result }
    }

    /// Waits until the commit has ended. Throws its error.
    func wait() throws(StorageError) {
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        try outcome.withLock { $0 }.get()
    }
}
