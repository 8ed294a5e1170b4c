#if Encryption
    import ShaleBase
    import ShaleEngine

    /// A store for secrets, apart from an application's data: it stays when the data directory is deleted.
    ///
    /// ```swift
    /// let directory = try Vault.defaultDirectory(application: "com.example.mail")
    /// let vault = try Vault(at: directory, keys: .file("/etc/mail/vault.key"))
    /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
    /// let password = try vault.password(account: "ada", service: "imap.example.org")
    /// ```
    /// By default a vault is an encrypted store of its own: values and names are encrypted, and each write is durable
    /// when it returns. Without the key, the files still reveal the number of secrets and when they are written. They
    /// also reveal which secrets share a path, and the approximate length of each secret with its name. Removed secrets
    /// stay in the files, encrypted, until compaction removes them. If the key is lost, the secrets can't be recovered.
    ///
    /// One process has a vault open at a time. Thread-safe; calls wait for the disk. Use ``init(backend:)`` for other
    /// back ends.
    public final class Vault: Sendable {
        /// The back end that stores the secrets.
        public let backend: any VaultBackend

        /// The directory of the vault's store; `nil` for other back ends.
        package let directory: String?

        /// Makes a vault with a back end of your own, without accessing it.
        public init(backend: any VaultBackend) {
            self.backend = backend
            directory = nil
        }

        private init(_ backend: StoreBackend, _ directory: String) {
            self.backend = backend
            self.directory = directory
        }

        /// Opens the encrypted store at `directory`. By default a missing directory is created with its parents, mode
        /// 0700 each.
        ///
        /// `keys` are those of `StoreEncryption`: a key file, a passphrase, the environment, a closure. This call
        /// creates no key: see `KeySource.makeKeyFile(at:)`.
        ///
        /// - Throws: `.wrongKey` and `.missingKey` with nothing changed; `.missing` if the directory does not exist and
        ///   `creating` is false; `.invalidArgument` for a directory that other users can access; the errors of opening
        ///   a store.
        public convenience init(at directory: String, keys: KeySource, creating: Bool = true) throws(StorageError) {
            try self.init(at: directory, keys: keys, creating: creating, environment: EngineEnvironment())
        }

        package convenience init(
            at directory: String, keys: any KeyProvider, creating: Bool = true, environment: EngineEnvironment
        ) throws(StorageError) {
            try Vault.prepareDirectory(directory, creating: creating, environment.fileSystem)
            var options = Store.Options()
            options.encryption = StoreEncryption(cipher: AES256GCM(), keys: keys)
            options.purgeInterval = nil
            options.engine.mode = creating ? .createIfMissing : .openExisting
            options.engine.durability = .synced
            options.engine.syncInterval = nil
            // Secrets are few and small.
            options.engine.memtableBytes = 256 << 10
            options.engine.memoryBudget = 8 << 20
            options.engine.compactionThreads = 1
            let store = try Store(at: directory, options: options, environment: environment)
            let backend: StoreBackend
            do throws(StorageError) {
                backend = try StoreBackend(store)
            } catch {
                try store.close()
                throw error
            }
            self.init(backend, directory)
        }

        /// Closes the vault. Calling it again does nothing.
        public func close() throws(StorageError) { try backend.close() }

        /// Makes all writes durable, or throws.
        public func sync() throws(StorageError) { try backend.sync() }

        /// Gives the vault's store another master key: see `Store.changeMasterKey(to:)`. Throws `.invalidArgument` for
        /// a vault with another back end.
        public func changeMasterKey(to keys: KeySource) throws(StorageError) {
            guard let backend = backend as? StoreBackend else {
                throw StorageError(.invalidArgument, "this vault has no master key of its own")
            }
            try backend.changeMasterKey(to: keys)
        }
    }

    /// Values of any `Codable` type as secrets. Each records its encoding.
    extension Vault {
        /// Returns the value at an address; `nil` if there is none. Throws the errors of `Namespace.value(forKey:as:)`.
        public func value<T: Decodable>(at address: SecretAddress, as type: T.Type = T.self) throws(StorageError) -> T?
        {
            guard let secret = try backend.secret(at: address) else { return nil }
            return try unsafe EncodedValue.decode(T.self, secret.span.bytes)
        }

        /// Stores a value durably; `nil` removes it.
        ///
        /// Throws the errors of `Namespace.set(_:forKey:as:options:durability:)`.
        public func set<T: Encodable>(_ value: T?, at address: SecretAddress) throws(StorageError) {
            guard let value else {
                _ = try remove(at: address)
                return
            }
            _ = try backend.store(try EncodedValue.envelope(of: value), at: address, replacing: true)
        }

        /// Removes the value at an address. Returns true if there was one.
        @discardableResult
        public func remove(at address: SecretAddress) throws(StorageError) -> Bool {
            try backend.removeSecret(at: address)
        }

        /// Removes everything at a path and below it, and returns the number of removed secrets.
        ///
        /// Throws `.invalidArgument` for the empty path, which would cover the secrets of all applications.
        @discardableResult
        public func removeAll(below path: [EntryKey]) throws(StorageError) -> Int {
            guard !path.isEmpty else { throw StorageError(.invalidArgument, "a path has no parts") }
            return try backend.removeSecrets(below: path, keeping: nil)
        }
    }

    /// Passwords by service and account. A password is any text, stored as UTF-8.
    extension Vault {
        private static func address(_ account: String, _ service: String) -> SecretAddress {
            SecretAddress(["password", EntryKey(service)], EntryKey(account))
        }

        /// Returns the password of an account; `nil` if there is none. Throws `.corruption` if the stored secret is not
        /// text, and the errors of reading a store.
        public func password(account: String, service: String) throws(StorageError) -> String? {
            guard let secret = try backend.secret(at: Vault.address(account, service)) else { return nil }
            guard let password = String(validating: secret, as: UTF8.self) else {
                throw StorageError(.corruption, "a password is not text")
            }
            return password
        }

        /// Stores a password durably.
        ///
        /// Without `updateExisting`, another stored password is kept, and the outcome says so. Atomic for all threads;
        /// between processes as far as the back end permits.
        @discardableResult
        public func store(
            _ password: String, account: String, service: String, updateExisting: Bool = true
        ) throws(StorageError) -> SecretOutcome {
            try backend.store(
                Array(password.utf8), at: Vault.address(account, service), replacing: updateExisting)
        }

        /// Removes a password durably. Returns true if there was one.
        @discardableResult
        public func deletePassword(account: String, service: String) throws(StorageError) -> Bool {
            try backend.removeSecret(at: Vault.address(account, service))
        }

        /// Returns the accounts of a service that have a password, in bytewise order. O(accounts); each one is
        /// decrypted.
        public func accounts(service: String) throws(StorageError) -> [String] {
            try backend.addresses(at: ["password", EntryKey(service)]).compactMap(\.name.string)
        }
    }

    /// The outcome of storing a secret.
    public enum SecretOutcome: Sendable, Hashable {
        /// The secret was stored.
        case stored
        /// The same secret was stored already.
        case unchanged
        /// Another secret was stored already and was kept, as the caller requested: the new one is **not** stored.
        case kept
    }
#endif
