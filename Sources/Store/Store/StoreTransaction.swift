public import ShaleBase

extension Store {
    /// Reads as of one moment, and writes that are applied only if nothing that was read has changed since.
    ///
    /// Used by one thread. See ``Store/transaction(attempts:durability:_:)``.
    ///
    /// ``subscript(_:)`` has all reads, of keys and of ranges. The functions with `in:` are short forms for single
    /// keys. Reads see the transaction's own writes. A namespace that the transaction reads or writes is created if it
    /// does not exist.
    public struct Transaction: ~Copyable {
        let core: StoreCore
        let transaction: Engine.Transaction

        init(_ core: StoreCore, _ transaction: Engine.Transaction) {
            self.core = core
            self.transaction = transaction
        }

        // MARK: Reading

        /// Returns the value of `key` as this transaction sees it; `nil` if the key is missing. Throws the errors of
        /// ``NamespaceReader/value(forKey:as:)``.
        public func value<T: StorableValue>(
            forKey key: some StoreKey, in namespace: Store.Namespace, as type: T.Type = T.self
        ) throws(StorageError) -> T? {
            try self[namespace].value(forKey: key, as: T.self)
        }

        /// Returns the value of `key` as this transaction sees it, decoded from the format that it was stored in.
        public func value<T: Decodable>(
            forKey key: some StoreKey, in namespace: Store.Namespace, as type: T.Type = T.self
        ) throws(StorageError) -> T? {
            try self[namespace].value(forKey: key, as: T.self)
        }

        /// Returns the value of `key` in the form in which it was stored.
        public func object(forKey key: some StoreKey, in namespace: Store.Namespace) throws(StorageError)
            -> StoredValue?
        {
            try self[namespace].object(forKey: key)
        }

        /// Returns true if `key` exists.
        public func contains(_ key: some StoreKey, in namespace: Store.Namespace) throws(StorageError) -> Bool {
            try self[namespace].contains(key)
        }

        // MARK: Writing

        /// Sets a value in its own encoding; `nil` removes the key.
        public func set<T: StorableValue>(
            _ value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, options: ValueOptions = []
        ) throws(StorageError) {
            guard let value else { return try remove(key, in: namespace) }
            let codec = value.codec
            try value.withPayload { (payload) throws(StorageError) in try put(payload, codec, key, namespace, options) }
        }

        /// Sets a `Codable` value; `nil` removes the key. `format` is as in
        /// ``Store/Namespace/set(_:forKey:as:options:durability:)``.
        public func set<T: Encodable>(
            _ value: T?, forKey key: some StoreKey, in namespace: Store.Namespace, as format: CodableFormat? = nil,
            options: ValueOptions = []
        ) throws(StorageError) {
            guard let value else { return try remove(key, in: namespace) }
            try EncodedValue.with(value, as: format, default: core.options.codableFormat) {
                (payload, codec) throws(StorageError) in try put(payload, codec, key, namespace, options)
            }
        }

        /// Removes a key, whether or not it exists.
        public func remove(_ key: some StoreKey, in namespace: Store.Namespace) throws(StorageError) {
            try transaction.delete(try key.keyBytes, in: try core.id(for: namespace))
        }

        package func put(
            _ payload: RawSpan, _ codec: ValueCodec, _ key: some StoreKey, _ namespace: Store.Namespace,
            _ options: ValueOptions
        ) throws(StorageError) {
            try key.withKeyBytes { (key) throws(StorageError) in try put(payload, codec, key, namespace, options) }
        }

        package func put(
            _ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ namespace: Store.Namespace,
            _ options: ValueOptions
        ) throws(StorageError) {
            let id = try core.id(for: namespace)
            let putOptions = namespace.state.putOptions(options)
            let isEncrypted = namespace.state.encrypts(options)
            try Envelope.with(codec, payload, writtenAt: namespace.state.writeTime) {
                (envelope) throws(StorageError) in
                guard isEncrypted else {
                    return try transaction.put(envelope, forKey: key, in: id, options: putOptions)
                }
                let sealed = try namespace.state.sealed(envelope, key, id, putOptions, options.cipher)
                transaction.attach(sealed.use, as: ObjectIdentifier(sealed.use.key))
                try unsafe transaction.put(sealed.value.span.bytes, forKey: key, in: id, options: putOptions)
            }
        }
    }
}
