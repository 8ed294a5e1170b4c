public import ShaleBase

extension Namespace {
    /// Stores a value in its own encoding; `nil` removes the key. One `write(2)`, no allocation for values up to about a
    /// KiB, O(key + value).
    ///
    /// `durability` says what the write has survived when it returns; `nil`: as the store was opened.
    ///
    /// Errors: `.invalidArgument` (limits: key 16 KiB, value 32 MiB), `.noSpace`, `.stalled`, `.readOnly`, `.closed`,
    /// `.poisoned`: nothing was written. `.indeterminate`: only reopening tells. For a value that is to be encrypted also
    /// `.cipherMismatch` (the store was opened without encryption), `.wrongKey` and `.missingKey`.
    @inlinable
    public func set<T: StorableValue>(
        _ value: T?, forKey key: some StoreKey, _ options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        let codec = value.codec
        try key.withKeyBytes { (key) throws(StorageError) in
            try value.withPayload { (payload) throws(StorageError) in
                try put(payload, codec, key, options, durability)
            }
        }
    }

    /// Stores a `Codable` value; `nil` removes the key.
    ///
    /// `format`: JSON or property list; `nil` = in its own encoding if it has one, else as ``StoreOptions/codableFormat``
    /// says. Errors as for the other `set`, and `.codecFailure` when the value can't be encoded: nothing was written.
    @inlinable
    public func set<T: Encodable>(
        _ value: T?, forKey key: some StoreKey, as format: CodableFormat? = nil, _ options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        try key.withKeyBytes { (key) throws(StorageError) in
            try putEncodable(value, format, key, options, durability)
        }
    }

    @usableFromInline
    func putEncodable<T: Encodable>(
        _ value: T, _ format: CodableFormat?, _ key: RawSpan, _ options: ValueOptions, _ durability: Durability?
    ) throws(StorageError) {
        try EncodedValue.with(value, as: format, default: state.core.options.codableFormat) {
            (payload, codec) throws(StorageError) in try put(payload, codec, key, options, durability)
        }
    }

    /// A literal `nil` removes the key.
    public func set(_ value: Never?, forKey key: some StoreKey, durability: Durability? = nil) throws(StorageError) {
        try remove(key, durability: durability)
    }

    /// Not generic, so that generic callers cost nothing more in other modules, where they are specialised.
    @usableFromInline
    package func put(
        _ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ options: ValueOptions, _ durability: Durability?
    ) throws(StorageError) {
        try state.writing { (id) throws(StorageError) in
            // The defaults are read after the id: see NamespaceState.
            try Envelope.with(codec, payload, writtenAt: state.writeTime) { (envelope) throws(StorageError) in
                let putOptions = state.putOptions(options)
                if state.encrypts(options) {
                    return try putSealed(envelope, key, id, putOptions, options.cipher, durability)
                }
                try state.engine.with { (engine) throws(StorageError) in
                    try engine.put(envelope, forKey: key, in: id, putOptions, durability: durability)
                }
            }
        }
    }

    @inline(never)
    private func putSealed(
        _ envelope: RawSpan, _ key: RawSpan, _ id: NamespaceID, _ options: PutOptions, _ cipher: CipherID?,
        _ durability: Durability?
    ) throws(StorageError) {
        let sealed = try state.sealed(envelope, key, id, options, cipher)
        // The key must not be retired before the value is there.
        defer { withExtendedLifetime(sealed.use) {} }
        try unsafe state.core.engine.put(
            sealed.value.span.bytes, forKey: key, in: id, options, durability: durability)
    }
}
