#if Encryption
    /// Values of any `Codable` type as secrets, each with a record of how it was encoded.
    extension Vault {
        /// The value at an address; `nil` when there is none. Errors as for `Namespace.value(forKey:as:)`.
        public func value<T: Decodable>(at address: SecretAddress, as type: T.Type = T.self) throws(StorageError) -> T?
        {
            guard let secret = try backend.secret(at: address) else { return nil }
            return try unsafe EncodedValue.decode(T.self, secret.span.bytes)
        }

        /// Stores a value; `nil` removes it. Durable when it returns. Errors as for
        /// `Namespace.set(_:forKey:as:_:durability:)`.
        public func set<T: Encodable>(_ value: T?, at address: SecretAddress) throws(StorageError) {
            guard let value else {
                _ = try remove(at: address)
                return
            }
            _ = try backend.store(try EncodedValue.envelope(of: value), at: address, replacing: true)
        }

        /// Removes what is at an address; returns whether something was.
        @discardableResult
        public func remove(at address: SecretAddress) throws(StorageError) -> Bool {
            try backend.removeSecret(at: address)
        }

        /// Removes everything at a path and below it; returns how much that was. Not at the empty path: that would be
        /// everybody's, and is refused as `.invalidArgument`.
        @discardableResult
        public func removeAll(below path: [EntryKey]) throws(StorageError) -> Int {
            guard !path.isEmpty else { throw StorageError(.invalidArgument, "a path has no parts") }
            return try backend.removeSecrets(below: path, keeping: nil)
        }
    }
#endif
