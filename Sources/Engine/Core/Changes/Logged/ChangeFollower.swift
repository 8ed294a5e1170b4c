import ShaleBase
import ShalePlatform

/// Reads the changes of a store from its logs and manifests, in this or another process. ShaleEngine.docc, "How changes
/// are observed". Thread-safe.
final class ChangeFollower: @unchecked Sendable {
    private let lock = Lock()
    /// `nil` once the follower has ended. Under `lock`.
    private var changes: LoggedChanges?

    /// Follows the changes after `sequence`.
    init(_ directories: StoreDirectories, after sequence: SequenceNumber) throws(StorageError) {
        changes = try LoggedChanges(directories, after: sequence)
    }

    /// Returns the next batch if it was read already.
    func takeRead() throws(StorageError) -> Engine.ChangeBatch? {
        try lock.withLock { () throws(StorageError) in
            guard changes != nil else { throw EngineCore.closedError }
            return changes?.take()?.batch
        }
    }

    /// Returns the next batch, or `nil` if there is none yet.
    func next() throws(StorageError) -> Engine.ChangeBatch? {
        try lock.withLock { () throws(StorageError) in
            guard changes != nil else { throw EngineCore.closedError }
            if let step = changes?.take() { return step.batch }
            try changes?.readOn()
            return changes?.take()?.batch
        }
    }

    /// Releases all files and holds. Idempotent.
    func end() { lock.withLock { changes = nil } }
}
