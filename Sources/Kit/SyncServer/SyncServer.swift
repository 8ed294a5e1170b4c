public import Shale
import ShaleBase
package import ShalePlatform
public import ShaleSync

/// The server's side of the synchronisation over a store: it answers calls, and removes what is old.
///
/// ```swift
/// let server = SyncServer(store)
/// let reply = try server.answer(.pull, body: body, user: user)
/// ```
/// The caller receives the requests, authenticates their users, and sends the replies, with any web framework. A user
/// sees and changes own records only.
///
/// Everything may be called from any thread. Only this process may serve the namespace, and nothing else may write to
/// it. Pushes of one user follow each other; those of several users share the syncs of the disk.
public final class SyncServer: Sendable {
    /// The rules of a server.
    public struct Options: Sendable {
        /// The time in milliseconds for which a tombstone stays. A client that was away for longer resynchronises.
        /// Default 90 days.
        public var tombstoneRetentionMilliseconds: Int64 = 90 * 86_400_000
        /// The time in milliseconds for which the last batch of a client is known. Default 180 days.
        public var clientRetentionMilliseconds: Int64 = 180 * 86_400_000
        /// Looks at each change before it is applied, and returns the reason to refuse it, or `nil`. It may run again
        /// for one change, and must not call the server.
        public var refusal: (@Sendable (Change) -> String?)?

        public init() {}
    }

    /// A change that a client asks for.
    public struct Change: Sendable, Hashable {
        public let user: String
        public let collection: String
        /// The encoded primary key: `RecordKey.bytes`.
        public let key: [UInt8]
        /// The record as JSON; `nil` for a deletion.
        public let document: [UInt8]?
        /// The record as it is, as JSON; `nil` if there is none.
        public let current: [UInt8]?
    }

    /// The longest id of a user, in bytes of UTF-8.
    public static let userBytes = 512

    let names: ServerNamespaces
    let root: Store.Namespace
    private let store: Store
    let options: Options
    let random: any RandomSource

    /// Serves the namespaces below `namespace` of the common space, which need not exist.
    public convenience init(_ store: Store, namespace: String = "sync", options: Options = Options()) {
        self.init(store, namespace: namespace, options: options, random: SystemRandom())
    }

    package init(
        _ store: Store, namespace: String = "sync", options: Options = Options(), random: any RandomSource
    ) {
        self.store = store
        root = store.common[namespace]
        names = ServerNamespaces(root)
        self.options = options
        self.random = random
    }

    /// Answers a call of an authenticated user.
    ///
    /// A push is durable when this returns.
    ///
    /// - Parameters:
    ///   - call: The call, from the path of the request.
    ///   - body: The body of the request, from anybody.
    ///   - user: The id of the user who was authenticated: 1 to ``userBytes`` bytes.
    /// - Returns: The reply, also for a body that breaks the protocol.
    /// - Throws: The errors of the store. Reply with status 503 then: the client asks again.
    /// - Complexity: One transaction. Memory for a few times `SyncLimits.messageBytes`.
    public func answer(_ call: SyncCall, body: [UInt8], user: String) throws(StorageError) -> SyncReply {
        guard 1...SyncServer.userBytes ~= user.utf8.count else { throw .invalid("the id of a user is not valid") }
        guard body.count <= SyncLimits.messageBytes else {
            return SyncServer.failure(413, "tooLarge", "the body is over \(SyncLimits.messageBytes) bytes")
        }
        let user = PlantedBug.isActive(.mixUsers) ? "all" : user
        switch call {
        case .push:
            let request: PushRequest
            do throws(StorageError) { request = try PushRequest(body) } catch { return try malformed(error) }
            return try push(request, user)
        case .pull:
            let request: PullRequest
            do throws(StorageError) { request = try PullRequest(body) } catch { return try malformed(error) }
            return try pull(request, user)
        }
    }

    private func malformed(_ error: StorageError) throws(StorageError) -> SyncReply {
        guard error.code == .corruption else { throw error }
        return SyncServer.failure(400, "malformed", error.message)
    }

    static func failure(_ status: Int, _ code: String, _ message: String) -> SyncReply {
        SyncReply(status: status, body: ErrorReply(code: code, message: message).encoded)
    }

    static var isRemoved: SyncReply { failure(403, "removed", "the data of the user is being removed") }

    /// The machine's clock, not before 1970.
    var now: Int64 { max(0, root.machineMilliseconds) }

    /// The clock that decides what is old. A reading that is off by more than a day counts once it has held for a day,
    /// so a wrong clock removes neither tombstones nor the last batches of clients.
    var trusted: Int64 { max(0, store.engine.trustedMilliseconds) }

    /// Returns the state of a user, which is made if there is none.
    func userRecord(_ user: String, in transaction: borrowing Store.Transaction) throws(StorageError) -> UserRecord {
        let key = ServerNamespaces.user(user)
        if let record = try transaction.value(forKey: key, in: names.users, as: UserRecord.self) { return record }
        let record = UserRecord(epoch: random.identifier())
        try transaction.set(record, forKey: key, in: names.users, as: .json, options: ServerNamespaces.options)
        return record
    }
}
