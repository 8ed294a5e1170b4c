public import ShaleBase

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
    public var current: Space {
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
    public var userEvents: AsyncStream<UserEvent> { core.currentUser.events() }
}
