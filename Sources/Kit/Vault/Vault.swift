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
            var options = StoreOptions()
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
        public func synchronize() throws(StorageError) { try backend.synchronize() }

        /// Gives the vault's store another master key: see `Store.changeMasterKey(to:)`. Throws `.invalidArgument` for
        /// a vault with another back end.
        public func changeMasterKey(to keys: KeySource) throws(StorageError) {
            guard let backend = backend as? StoreBackend else {
                throw StorageError(.invalidArgument, "this vault has no master key of its own")
            }
            try backend.changeMasterKey(to: keys)
        }
    }
#endif
