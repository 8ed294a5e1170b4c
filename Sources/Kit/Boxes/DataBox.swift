#if Encryption
    import Foundation
    import ShaleBase
    import ShaleEngine

    /// The values of an application, each in one of six places: a ``BoxScope``, shared or a user's.
    ///
    /// ```swift
    /// let vault = try Vault(at: try Vault.defaultDirectory(application: "com.example.mail"), keys: .file(keyFile))
    /// let box = try DataBox(at: dataDirectory, application: "com.example.mail", vault: vault)
    /// try box.compartment("Session", .restricted, per: "ada").set("token", forKey: "api")
    /// ```
    /// A data directory gets a generation, random and its own, when a box is first opened in it. Restricted values are sealed with
    /// a secret of that generation, which is in the data directory and nowhere else, so they need both the directory and the
    /// vault. Opening a box erases the restricted values of all other generations, shared ones and those of every user, before anybody
    /// can ask for one. A copy of a data directory is the same installation.
    ///
    /// Writes are in the log when they return and survive the process; those to the vault are durable. ``synchronize()`` makes
    /// everything durable. Thread-safe; all calls may be made from any thread and any actor and return when they are done.
    public final class DataBox: Sendable {
        /// Where the standard values are. It has room for others: the box uses the namespaces `boxes`.
        public let store: Store
        /// Where the others are; `nil`: there are only standard ones.
        public let vault: Vault?
        /// Whose values they are, among those of other applications in the vault.
        public let application: String
        let generation: InstallGeneration
        let failureLog = BoxFailureLog()

        /// Opens the box in the data directory `directory`, which is a store's. `application` tells the values in the vault
        /// from those of others: one data directory for each, since opening another erases the restricted values of the first.
        ///
        /// Errors: those of opening a store; `.invalidArgument` for an empty `application` and for a vault inside the data
        /// directory, where it would die with it; those of removing from the vault: nothing stays open then.
        public convenience init(
            at directory: String, application: String, vault: Vault? = nil, options: StoreOptions = .init()
        ) throws(StorageError) {
            try DataBox.requireApart(directory, vault)
            try self.init(
                at: directory, application: application, vault: vault, options: options,
                environment: EngineEnvironment())
        }

        package init(
            at directory: String, application: String, vault: Vault?, options: StoreOptions,
            environment: EngineEnvironment
        ) throws(StorageError) {
            guard !application.isEmpty else { throw StorageError(.invalidArgument, "an application's name is empty") }
            let store = try Store(at: directory, options: options, environment: environment)
            do throws(StorageError) {
                // Durable before the first value that is sealed to it, and before others are erased because of it.
                generation = try store.installGeneration()
                if let vault { try BoxPlace.eraseOthers(than: generation, of: application, in: vault) }
            } catch {
                try store.close()
                throw error
            }
            self.store = store
            self.vault = vault
            self.application = application
        }

        /// The values `name` that are everybody's.
        public func compartment(_ name: String, _ scope: BoxScope) -> Compartment {
            Compartment(self, name, scope, .everybody)
        }

        /// The values `name` of a user. With no user, `nil`, all operations throw `.noCurrentUser`: never are they somebody
        /// else's, and never everybody's. Any text but the empty one, which is `.invalidArgument`.
        public func compartment(_ name: String, _ scope: BoxScope, per user: String?) -> Compartment {
            Compartment(self, name, scope, .user(user))
        }

        /// Removes everything that a user has in this box, in all scopes, and all else that the store has of this user. The
        /// vault's part and the store's are a step each, durable when this returns.
        public func removeUser(_ id: String) throws(StorageError) {
            for scope in BoxScope.allCases {
                guard let vault, let path = BoxPlace.path(scope, of: self) else { continue }
                try vault.removeAll(below: path + BoxPlace.owner(id))
            }
            try store.removeUser(id)
        }

        /// The barrier: whatever was written before it outlasts a loss of power when it returns. Throws when that can't be said.
        public func synchronize() throws(StorageError) {
            try store.sync()
            try vault?.synchronize()
        }

        /// Ends the use of the box and of its opening of the store; the vault is its owner's to close. Calling it again does
        /// nothing.
        public func close() throws(StorageError) { try store.close() }

        private static func requireApart(_ directory: String, _ vault: Vault?) throws(StorageError) {
            guard let place = vault?.directory else { return }
            func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "/" }
            guard !real(place).hasPrefix(real(directory)) else {
                throw StorageError(
                    .invalidArgument, "the vault lies in the data directory, and would be deleted with it")
            }
        }
    }
#endif
