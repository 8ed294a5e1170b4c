public import ShaleBase

/// Reads as of one moment, and writes that are applied only if nothing that was read has changed since.
///
/// Used by one thread. See ``Store/transaction(attempts:durability:_:)``.
///
/// Reads of single keys see the transaction's own writes. ``keys(in:of:limit:)`` does not: it shows the state at the
/// start of the transaction. A namespace that the transaction reads or writes is created if it does not exist.
public struct StoreTransaction: ~Copyable {
    private let core: StoreCore
    private let transaction: Transaction

    init(_ core: StoreCore, _ transaction: Transaction) {
        self.core = core
        self.transaction = transaction
    }

    // MARK: Reading

    /// Returns the value of `key` as this transaction sees it; `nil` if the key is missing. Throws the errors of
    /// ``Namespace/value(forKey:as:)``.
    public func value<T: StorableValue>(
        forKey key: some StoreKey, in namespace: Namespace, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        guard let stored = try stored(key, namespace) else { return nil }
        return try unsafe EncodedValue.decode(T.self, stored.span.bytes)
    }

    /// Returns the value of `key` as this transaction sees it, decoded from the format that it was stored in.
    public func value<T: Decodable>(
        forKey key: some StoreKey, in namespace: Namespace, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        guard let stored = try stored(key, namespace) else { return nil }
        return try unsafe EncodedValue.decode(T.self, stored.span.bytes)
    }

    /// Returns the value of `key` in the form in which it was stored.
    public func object(forKey key: some StoreKey, in namespace: Namespace) throws(StorageError) -> StoredValue? {
        guard let stored = try stored(key, namespace) else { return nil }
        return try unsafe EncodedValue.object(stored.span.bytes, core.codecs)
    }

    /// Returns true if `key` exists.
    public func contains(_ key: some StoreKey, in namespace: Namespace) throws(StorageError) -> Bool {
        guard let id = try readableID(namespace) else { return false }
        return try transaction.value(forKey: try key.keyBytes, in: id) != nil
    }

    /// Returns the keys of a range at the start of the transaction, in order, at most `limit`.
    ///
    /// If another writer adds or removes a key in the range before the commit, the transaction conflicts.
    public func keys(
        in range: some KeyInterval, of namespace: Namespace, limit: Int = .max
    ) throws(StorageError) -> [EntryKey] {
        guard let id = try readableID(namespace) else { return [] }
        return try transaction.entries(over: try range.keyRange, in: id, limit: limit).map { EntryKey($0.key) }
    }

    /// Returns the envelope of a key, decrypted if necessary.
    func stored(_ key: some StoreKey, _ namespace: Namespace) throws(StorageError) -> [UInt8]? {
        guard let id = try readableID(namespace) else { return nil }
        let bytes = try key.keyBytes
        guard let entry = try transaction.entry(forKey: bytes, in: id) else { return nil }
        unsafe namespace.state.noteUse(bytes.span.bytes, id)
        return try unsafe entry.value.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            if Envelope.isPlain(unsafe Bytes(buffer)) { return entry.value }
            return try unsafe namespace.state.opened(entry.value.span.bytes, bytes.span.bytes, id, entry.info)
        }
    }

    /// Returns the id of a namespace to read, and creates the namespace. If it stayed missing, another writer could
    /// create it and write to it without a conflict being detected.
    private func readableID(_ namespace: Namespace) throws(StorageError) -> NamespaceID? {
        guard core.options.engine.mode == .readOnly else { return try core.id(for: namespace) }
        try core.requireOwn(namespace)
        return try namespace.state.existing()
    }

    // MARK: Writing

    /// Sets a value in its own encoding; `nil` removes the key.
    public func set<T: StorableValue>(
        _ value: T?, forKey key: some StoreKey, in namespace: Namespace, _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let codec = value.codec
        try value.withPayload { (payload) throws(StorageError) in try put(payload, codec, key, namespace, options) }
    }

    /// Sets a `Codable` value; `nil` removes the key. `format` is as in ``Namespace/set(_:forKey:as:_:durability:)``.
    public func set<T: Encodable>(
        _ value: T?, forKey key: some StoreKey, in namespace: Namespace, as format: CodableFormat? = nil,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        try EncodedValue.with(value, as: format, default: core.options.codableFormat) {
            (payload, codec) throws(StorageError) in try put(payload, codec, key, namespace, options)
        }
    }

    /// Removes a key, whether or not it exists.
    public func remove(_ key: some StoreKey, in namespace: Namespace) throws(StorageError) {
        try transaction.delete(try key.keyBytes, in: try core.id(for: namespace))
    }

    package func put(
        _ payload: RawSpan, _ codec: ValueCodec, _ key: some StoreKey, _ namespace: Namespace,
        _ options: ValueOptions
    ) throws(StorageError) {
        let id = try core.id(for: namespace)
        let putOptions = namespace.state.putOptions(options)
        let isEncrypted = namespace.state.encrypts(options)
        let key = try key.keyBytes
        try Envelope.with(codec, payload, writtenAt: namespace.state.writeTime) { (envelope) throws(StorageError) in
            guard isEncrypted else {
                return try transaction.put([UInt8](copying: envelope), forKey: key, in: id, putOptions)
            }
            let sealed = try unsafe namespace.state.sealed(
                envelope, key.span.bytes, id, putOptions, options.cipher)
            transaction.attach(sealed.use, as: ObjectIdentifier(sealed.use.key))
            try transaction.put(sealed.value, forKey: key, in: id, putOptions)
        }
    }
}
