public import ShaleBase
import ShalePlatform
public import ShaleSync

/// The functions that wait for the disk, for `async` callers.
///
/// They never block a thread of the task pool: the work runs on threads of the library. A call whose task is cancelled
/// before it starts throws `.cancelled` and does nothing.
extension SyncServer {
    /// Answers a call of an authenticated user, as the function that blocks does.
    ///
    /// ```swift
    /// let reply = try await server.answer(call, body: body, user: user)
    /// ```
    public nonisolated(nonsending) func answer(
        _ call: SyncCall, body: [UInt8], user: String
    ) async throws(StorageError) -> SyncReply {
        try await BlockingWork.run { (_) throws(StorageError) in try self.answer(call, body: body, user: user) }
    }

    /// Removes what is older than its retention, as the function that blocks does.
    @discardableResult
    public nonisolated(nonsending) func removeOutdated() async throws(StorageError) -> Upkeep {
        try await BlockingWork.run { (_) throws(StorageError) in try self.removeOutdated() }
    }

    /// Removes all data of a user, as the function that blocks does.
    public nonisolated(nonsending) func removeUser(_ user: String) async throws(StorageError) {
        try await BlockingWork.run { (_) throws(StorageError) in try self.removeUser(user) }
    }
}
