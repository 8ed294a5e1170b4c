#if Encryption
    /// Passwords by service and account. Any text; kept as its UTF-8.
    extension Vault {
        private static func address(_ account: String, _ service: String) -> SecretAddress {
            SecretAddress(["password", EntryKey(service)], EntryKey(account))
        }

        /// The password of an account; `nil` when there is none. Throws `.corruption` when what is kept is no text, and the
        /// errors of reading a store.
        public func password(account: String, service: String) throws(StorageError) -> String? {
            guard let secret = try backend.secret(at: Vault.address(account, service)) else { return nil }
            guard let password = String(validating: secret, as: UTF8.self) else {
                throw StorageError(.corruption, "a password is not text")
            }
            return password
        }

        /// Stores a password. Without `updateExisting` another one that is there stays, and the outcome says so. One step for
        /// all threads; durable when it returns. Between processes one step as far as the back end can.
        @discardableResult
        public func store(
            _ password: String, account: String, service: String, updateExisting: Bool = true
        ) throws(StorageError) -> SecretOutcome {
            try backend.store(
                Array(password.utf8), at: Vault.address(account, service), replacing: updateExisting)
        }

        /// Removes a password; returns whether there was one. Durable when it returns.
        @discardableResult
        public func deletePassword(account: String, service: String) throws(StorageError) -> Bool {
            try backend.removeSecret(at: Vault.address(account, service))
        }

        /// The accounts of a service that have a password, in bytewise order. O(accounts), each of which is decrypted.
        public func accounts(service: String) throws(StorageError) -> [String] {
            try backend.addresses(at: ["password", EntryKey(service)]).compactMap(\.name.string)
        }
    }
#endif
