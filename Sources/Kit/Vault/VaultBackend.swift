#if Encryption
    /// A back end of a ``Vault``, which stores the secrets.
    ///
    /// ``Vault/init(at:keys:creating:)`` uses an encrypted store; others use the Secret Service on Linux and the
    /// Keychain on Apple platforms.
    ///
    /// Calls may come from any thread, block until they are done, and are atomic for all threads of the process. Errors
    /// never contain secrets or names.
    public protocol VaultBackend: AnyObject, Sendable {
        /// Returns the secret at an address; `nil` if there is none.
        func secret(at address: SecretAddress) throws(StorageError) -> [UInt8]?

        /// Stores a secret if there is none; if `replacing`, also replaces another secret. Durable on return.
        func store(
            _ secret: [UInt8], at address: SecretAddress, replacing: Bool
        ) throws(StorageError) -> SecretOutcome

        /// Removes a secret. Returns true if there was one. Durable on return.
        func removeSecret(at address: SecretAddress) throws(StorageError) -> Bool

        /// Returns the addresses directly at `path`, in bytewise order of their names.
        func addresses(at path: [EntryKey]) throws(StorageError) -> [SecretAddress]

        /// Removes all secrets at `path` and below it, except those at and below its child `kept`. Returns the number
        /// of removed secrets. If the call fails half way, some are removed. Durable on return.
        func removeSecrets(below path: [EntryKey], keeping kept: EntryKey?) throws(StorageError) -> Int

        /// Makes all earlier writes durable.
        func synchronize() throws(StorageError)

        /// Closes the back end.
        func close() throws(StorageError)
    }
#endif
