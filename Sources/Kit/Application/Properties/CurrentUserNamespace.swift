public import Shale

extension Store {
    /// A namespace of the current user: each access goes to the namespace of the user that is signed in at that time.
    ///
    /// For properties and observable values that follow the user. Copying costs one reference count. Thread-safe.
    public struct CurrentUserNamespace: NamespacePlace {
        private enum User: Sendable, Hashable {
            case current
            /// The space of the user that was current; `nil` if nobody was signed in.
            case pinned(Store.Space?)
        }

        private let store: Store
        private let user: User
        /// The names from the top of the user's space down to the namespace, its own name last.
        public let path: [String]

        init(_ store: Store, _ path: [String]) { self.init(store, .current, path) }

        private init(_ store: Store, _ user: User, _ path: [String]) {
            self.store = store
            self.user = user
            self.path = path
        }

        /// Returns the namespace `name` below this one.
        public func child(_ name: String) -> CurrentUserNamespace {
            CurrentUserNamespace(store, user, path + [name])
        }

        /// Returns the namespace of the user that is signed in now. The result keeps referring to that user.
        ///
        /// - Throws: `.noCurrentUser` if nobody is signed in.
        public func namespace() throws(StorageError) -> Store.Namespace {
            let space: Store.Space
            switch user {
            case .current: space = try store.current
            case .pinned(let pinned?): space = pinned
            case .pinned(nil): throw StorageError(.noCurrentUser, "no user is signed in")
            }
            return path.dropFirst().reduce(space[path[0]]) { $0.child($1) }
        }

        public func pinned() -> CurrentUserNamespace {
            guard user == .current else { return self }
            return CurrentUserNamespace(store, .pinned(store.currentUser.map { store.user($0) }), path)
        }

        public var userEvents: AsyncStream<Store.UserEvent>? { user == .current ? store.userEvents : nil }

        public func record(_ error: StorageError, _ access: Store.Health.Access, ofKey key: String) {
            do throws(StorageError) {
                try namespace().record(error, access)
            } catch {
                store.record(error, access, at: path)
            }
        }

        /// Returns true for the same path in the same open store, and the same user if it has been pinned.
        public static func == (a: CurrentUserNamespace, b: CurrentUserNamespace) -> Bool {
            a.path == b.path && a.user == b.user && a.store.common == b.store.common
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(path) }
    }

    /// Returns the namespace `name` in the space of the user that is current at the time of each access.
    ///
    /// ```swift
    /// @Stored(.draft, in: App.store.currentUserNamespace("drafts")) var draft
    /// ```
    public func currentUserNamespace(_ name: String) -> CurrentUserNamespace { CurrentUserNamespace(self, [name]) }
}
