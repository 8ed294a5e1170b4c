#if Encryption
    /// Values of any `Codable` type as secrets. Each records its encoding.
    extension Vault {
        /// Returns the value at an address; `nil` if there is none. Throws the errors of `Namespace.value(forKey:as:)`.
        public func value<T: Decodable>(at address: SecretAddress, as type: T.Type = T.self) throws(StorageError) -> T?
        {
            guard let secret = try backend.secret(at: address) else { return nil }
            return try unsafe EncodedValue.decode(T.self, secret.span.bytes)
        }

        /// Stores a value durably; `nil` removes it. Throws the errors of `Namespace.set(_:forKey:as:_:durability:)`.
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
#endif
