#if Encryption
    /// Who keeps the secrets of a ``Vault``: ``Vault/init(at:keys:creating:)`` brings an encrypted store; there are the
    /// Secret Service on Linux and the Keychain on Apple platforms.
    ///
    /// All calls come from any thread, wait for what they do, and are one step each for all threads of the process. Errors never hold
    /// secrets or names.
    public protocol VaultBackend: AnyObject, Sendable {
        /// The secret at an address; `nil` when there is none.
        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]?

        /// Stores a secret where there is none, and if `replacing` where there is another. Durable when it returns.
        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome

        /// Removes a secret; returns whether it was there. Durable when it returns.
        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool

        /// The addresses right at `path`, in bytewise order of their names.
        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress]

        /// Removes all secrets at `path` and below it, but for those at and below its child `kept`; returns how many. If
        /// it fails half way, some are removed. Durable when it returns.
        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int

        /// Makes everything durable that is not yet.
        func synchronize() throws(StorageError)

        /// The end of its use.
        func close() throws(StorageError)
    }
#endif
