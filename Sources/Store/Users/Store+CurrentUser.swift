public import ShaleBase

/// The user that is signed in: kept in memory, shared by all ``Store``s of the directory in this process, and nobody
/// after opening.
extension Store {
    /// The id of the current user; `nil` when nobody is signed in.
    public var currentUser: String? { core.currentUser.id }

    /// The space of the current user, or an error of code `.noCurrentUser`.
    ///
    /// The space is that user's for good. Take it once for what belongs together: a write that was begun for one user
    /// never lands with another, whenever the user changes.
    public var current: Space {
        get throws(StorageError) {
            guard let id = core.currentUser.id else { throw StorageError(.noCurrentUser, "no user is signed in") }
            return user(id)
        }
    }

    /// Makes `id` the current user, in place of another one or anew. Throws `.invalidArgument` for the empty text.
    public func signIn(_ id: String) throws(StorageError) {
        guard !id.isEmpty else { throw .invalid("a user id is empty") }
        core.currentUser.change(to: id)
    }

    /// Ends the current user's turn; nothing of what is stored changes.
    public func signOut() { core.currentUser.change(to: nil) }

    /// The changes of the current user from now on, every one of them and in order, kept until they are read. Each call
    /// gives a stream of its own, which ends with the store.
    public var userEvents: AsyncStream<UserEvent> { core.currentUser.events() }
}
