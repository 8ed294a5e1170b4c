public import ShaleBase
import ShalePlatform

/// The signed-in user. It is kept in memory and shared by all ``Store``s of the directory in this process. After
/// opening there is none.
extension Store {
    /// The id of the current user; `nil` if nobody is signed in.
    public var currentUser: String? { core.currentUser.id }

    /// The space of the current user.
    ///
    /// The value keeps referring to that user. Take it once for operations that belong together: a write begun for one
    /// user then never goes to another, even if the current user changes.
    ///
    /// - Throws: `.noCurrentUser` if nobody is signed in.
    public var current: Store.Space {
        get throws(StorageError) {
            guard let id = core.currentUser.id else { throw StorageError(.noCurrentUser, "no user is signed in") }
            return user(id)
        }
    }

    /// Makes `id` the current user. Throws `.invalidArgument` for the empty text.
    public func signIn(_ id: String) throws(StorageError) {
        guard !id.isEmpty else { throw .invalid("a user id is empty") }
        core.currentUser.change(to: id)
    }

    /// Signs the current user out. Stored data does not change.
    public func signOut() { core.currentUser.change(to: nil) }

    /// The changes of the current user from now on, complete and in order.
    ///
    /// Changes are kept until they are read. Each call returns a new stream, which ends when the store is closed.
    public var userEvents: AsyncStream<Store.UserEvent> { core.currentUser.events() }
}

extension Store {
    /// A change of the current user. See ``Store/userEvents``.
    public enum UserEvent: Sendable, Hashable {
        /// A user signed in; there was no current user before.
        case signedIn(String)
        /// Another user replaced the current one in one step.
        case switched(from: String, to: String)
        /// The current user signed in again.
        case renewed(String)
        case signedOut(String)
    }
}

/// The signed-in user, and the streams of its changes. Thread-safe: changes happen one after the other, and every
/// stream gets all of them in that order.
final class CurrentUser: Sendable {
    private let current = Locked<String?>(nil)
    private let hub = StreamHub<Store.UserEvent>(.unbounded)

    var id: String? { current.withLock { $0 } }

    func events() -> AsyncStream<Store.UserEvent> { hub.stream() }

    /// Ends all streams when the store is closed.
    func finish() { hub.finish() }

    func change(to id: String?) {
        current.withLock { current in
            let event: Store.UserEvent
            switch (current, id) {
            case (nil, nil): return
            case (nil, let new?): event = .signedIn(new)
            case (let old?, nil): event = .signedOut(old)
            // Two ids are the same user if their UTF-8 is equal. `==` would also equate canonically equivalent texts.
            case (let old?, let new?):
                event = old.utf8.elementsEqual(new.utf8) ? .renewed(new) : .switched(from: old, to: new)
            }
            current = id
            // Sent under the lock, so that events are in the order of the changes.
            hub.send(event)
        }
    }
}
