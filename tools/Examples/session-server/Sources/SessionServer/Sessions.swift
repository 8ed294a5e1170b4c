import Foundation
import ShaleObservability

/// A session of a user.
public struct Session: Codable, Equatable, Sendable {
    public var user: String
    public var visits: Int
}

/// Sessions in a namespace of a store. They end when they were not visited for ``lifetime``.
public struct Sessions: Sendable {
    public let observed: ObservedStore
    public let lifetime: Duration
    private let namespace: Store.Namespace

    public init(_ observed: ObservedStore, lifetime: Duration = .seconds(30 * 60)) {
        self.observed = observed
        self.lifetime = lifetime
        namespace = observed.store.common["sessions"]
    }

    /// Makes a session. On return it survives a loss of power.
    public func create(for user: String) async throws(StorageError) -> String {
        let id = UUID().uuidString
        let session = Session(user: user, visits: 0)
        try await observed.write(durability: .synced) { (batch) throws(StorageError) in
            try batch.set(session, forKey: id, in: namespace, options: .expires(after: lifetime))
        }
        return id
    }

    /// Counts a visit and lets the session live on; `nil` if there is none. A loss of power may lose the visit.
    public func visit(_ id: String) async throws(StorageError) -> Session? {
        try await observed.transaction { (transaction) throws(StorageError) in
            guard var session = try transaction.value(forKey: id, in: namespace, as: Session.self) else { return nil }
            session.visits += 1
            try transaction.set(session, forKey: id, in: namespace, options: .expires(after: lifetime))
            return session
        }
    }

    /// Ends a session. On return it does not come back after a loss of power.
    public func end(_ id: String) async throws(StorageError) {
        try await observed.write(durability: .synced) { (batch) throws(StorageError) in
            try batch.remove(id, in: namespace)
        }
    }
}
