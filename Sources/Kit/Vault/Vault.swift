#if Encryption
    import ShaleBase
    import ShaleEngine

    /// A place for secrets, apart from an application's data: it stays when the data directory is deleted.
    ///
    /// ```swift
    /// let directory = try Vault.defaultDirectory(application: "com.example.mail")
    /// let vault = try Vault(at: directory, keys: .file("/etc/mail/vault.key"))
    /// try vault.store("correct horse", account: "ada", service: "imap.example.org")
    /// let password = try vault.password(account: "ada", service: "imap.example.org")
    /// ```
    /// By default it is an encrypted store of its own: values and names are encrypted, each write is durable when it returns. Who has
    /// the files without the key sees how many secrets there are, about how long each is with its name, which of them
    /// share a path, and when they are written. Removed ones stay in the files, encrypted, until compaction gets there. Who loses
    /// the key has lost the secrets.
    ///
    /// One process has a vault open at a time. Thread-safe; calls wait for the disk. Other places for secrets: ``init(backend:)``.
    public final class Vault: Sendable {
        /// Who keeps the secrets.
        public let backend: any VaultBackend

        /// Where its store is; `nil` when some other back end keeps it.
        package let directory: String?

        /// A vault that somebody else keeps: a back end of your own. Nothing is looked at.
        public init(backend: any VaultBackend) {
            self.backend = backend
            directory = nil
        }

        private init(_ backend: StoreBackend, _ directory: String) {
            self.backend = backend
            self.directory = directory
        }

        /// Opens the encrypted store at `directory`: by default made, with the directories above it, 0700 each, when it is
        /// missing. `keys` are those of `StoreEncryption`: a key file, a passphrase, the environment, a closure. No key is made
        /// here: see `KeySource.makeKeyFile(at:)`.
        ///
        /// Errors: those of opening a store, `.wrongKey` and `.missingKey` with nothing changed; `.missing` when it is not there
        /// and not to be made; `.invalidArgument` for a directory that others may look into.
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

        /// Ends the use of the vault. Calling it again does nothing.
        public func close() throws(StorageError) { try backend.close() }

        /// Makes everything durable, or throws.
        public func synchronize() throws(StorageError) { try backend.synchronize() }

        /// Gives the vault's store another master key: see `Store.changeMasterKey(to:)`. Throws `.invalidArgument` for a
        /// vault that some other back end keeps.
        public func changeMasterKey(to keys: KeySource) throws(StorageError) {
            guard let backend = backend as? StoreBackend else {
                throw StorageError(.invalidArgument, "this vault has no master key of its own")
            }
            try backend.changeMasterKey(to: keys)
        }
    }
#endif
