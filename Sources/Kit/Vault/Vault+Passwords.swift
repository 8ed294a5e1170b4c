#if Encryption
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
