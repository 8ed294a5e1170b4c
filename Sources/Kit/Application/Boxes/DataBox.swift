#if Encryption
    import ShaleBase
    import ShaleEngine
    import ShalePlatform

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The values of an application, each in one of six places: a ``BoxScope``, shared or of one user.
    ///
    /// ```swift
    /// let vault = try Vault(at: try Vault.defaultDirectory(application: "com.example.mail"), keys: .file(keyFile))
    /// let box = try DataBox(at: dataDirectory, application: "com.example.mail", vault: vault)
    /// try box.compartment("Session", .restricted, per: "ada").set("token", forKey: "api")
    /// ```
    /// Opening a box in a data directory for the first time gives the directory a random generation. Restricted values
    /// are sealed with a secret of that generation, which exists only in the data directory. Reading them therefore
    /// needs both the directory and the vault. Opening a box erases the restricted values of all other generations,
    /// shared ones and those of every user, before any value can be read. A copy of a data directory is the same
    /// installation.
    ///
    /// A write is in the log when it returns and survives the process; a write to the vault is durable.
    /// ``sync()`` makes everything durable. Thread-safe; all calls may be made from any thread and any actor,
    /// and block until they are done.
    public final class DataBox: Sendable {
        /// The store of the standard values. The box uses the namespaces `boxes`; others are free.
        public let store: Store
        /// The vault of the other values; `nil` if there are only standard ones.
        public let vault: Vault?
        /// The application's name, which separates its values in the vault from those of other applications.
        public let application: String
        let generation: InstallGeneration
        let failureLog = BoxFailureLog()

        /// Opens the box in the data directory `directory`, which is a store's.
        ///
        /// Each `application` needs exactly one data directory: opening another one erases the restricted values of the
        /// first.
        ///
        /// - Throws: `.invalidArgument` for an empty `application`, and for a vault inside the data directory, where it
        ///   would be deleted with it; the errors of opening a store and of removing from the vault. After an error
        ///   nothing stays open.
        public convenience init(
            at directory: String, application: String, vault: Vault? = nil, options: Store.Options = .init()
        ) throws(StorageError) {
            try DataBox.requireSeparate(directory, vault)
            try self.init(
                at: directory, application: application, vault: vault, options: options,
                environment: EngineEnvironment())
        }

        package init(
            at directory: String, application: String, vault: Vault?, options: Store.Options,
            environment: EngineEnvironment
        ) throws(StorageError) {
            guard !application.isEmpty else { throw StorageError(.invalidArgument, "an application's name is empty") }
            let store = try Store(at: directory, options: options, environment: environment)
            do throws(StorageError) {
                // Durable before the first value is sealed to it, and before values of other generations are erased.
                generation = try store.installGeneration()
                if let vault { try BoxLocation.eraseOthers(than: generation, of: application, in: vault) }
            } catch {
                try store.close()
                throw error
            }
            self.store = store
            self.vault = vault
            self.application = application
        }

        /// Returns the compartment `name` that all users share.
        public func compartment(_ name: String, _ scope: BoxScope) -> Compartment {
            Compartment(self, name, scope, .shared)
        }

        /// Returns the compartment `name` of a user. Values always belong to that user.
        ///
        /// If `user` is `nil`, all operations throw `.noCurrentUser`. If it is the empty text, they throw
        /// `.invalidArgument`.
        public func compartment(_ name: String, _ scope: BoxScope, per user: String?) -> Compartment {
            Compartment(self, name, scope, .user(user))
        }

        /// Removes all values of a user in this box, in all scopes, and everything else that the store has of this
        /// user.
        ///
        /// The vault's part and the store's part are one step each. Durable on return.
        public func removeUser(_ id: String) throws(StorageError) {
            for scope in BoxScope.allCases {
                guard let vault, let path = BoxLocation.path(scope, of: self) else { continue }
                try vault.removeAll(below: path + BoxLocation.owner(id))
            }
            try store.removeUser(id)
        }

        /// Makes every earlier write survive a loss of power, or throws.
        public func sync() throws(StorageError) {
            try store.sync()
            try vault?.sync()
        }

        /// Closes the box and its opening of the store. The vault stays open; its owner closes it. Calling it again
        /// does nothing.
        public func close() throws(StorageError) { try store.close() }

        private static func requireSeparate(_ directory: String, _ vault: Vault?) throws(StorageError) {
            guard let location = vault?.directory else { return }
            func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "/" }
            guard !real(location).hasPrefix(real(directory)) else {
                throw StorageError(
                    .invalidArgument, "the vault lies in the data directory, and would be deleted with it")
            }
        }
    }

    /// The lifetime and the protection of a value in a ``DataBox``.
    public enum BoxScope: Sendable, Hashable, CaseIterable {
        /// In the data directory, not encrypted. The value is lost with the directory.
        case standard
        /// In the vault. The value survives deletion of the data directory.
        case vault
        /// In the vault, sealed to this installation. Once the data directory is deleted, the value can't be read any
        /// more, and the next opening erases it.
        case restricted
    }

    /// The errors that properties could not throw. See ``DataBox/health``.
    public struct BoxHealth: Sendable {
        /// An error that a property could not throw.
        public struct Failure: Sendable {
            /// The error that was thrown.
            public let error: StorageError
            /// The property's key; empty when its name could not be found.
            public let key: String
            /// The property's scope.
            public let scope: BoxScope
            /// True if the value was being set, false if it was being read.
            public let isWrite: Bool
        }

        /// The number of reads that returned `nil` or a default instead of an error since the box was opened.
        public internal(set) var failedReads = 0
        /// The number of writes that failed since the box was opened. Their values are not stored.
        public internal(set) var failedWrites = 0
        /// The newest failures, oldest first; at most 16.
        public internal(set) var failures: [Failure] = []
    }

    extension DataBox {
        /// The errors of properties, which can't throw, as a copy. See ``BoxedProperty``.
        public var health: BoxHealth { failureLog.current }
    }

    /// Collects failures. Thread-safe.
    final class BoxFailureLog: Sendable {
        private static let countMax = 16

        private let health = Locked(BoxHealth())

        var current: BoxHealth { health.withLock { $0 } }

        func record(_ error: StorageError, _ key: String, _ scope: BoxScope, isWrite: Bool) {
            let failure = BoxHealth.Failure(error: error, key: key, scope: scope, isWrite: isWrite)
            health.withLock { health in
                if isWrite { health.failedWrites += 1 } else { health.failedReads += 1 }
                if health.failures.count == BoxFailureLog.countMax { health.failures.removeFirst() }
                health.failures.append(failure)
            }
        }
    }
#endif
