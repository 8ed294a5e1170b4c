public import ShaleBase
import ShaleEngine

extension Store.Namespace {
    /// Stores a value in its own encoding; `nil` removes the key.
    ///
    /// A buffered write makes no system call if the log is mapped (``Engine/Options/mapsLogs``), and one `write`
    /// otherwise. Values up to about 1 KiB need no allocation.
    ///
    /// - Parameters:
    ///   - value: The value, at most 32 MiB when encoded.
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry.
    ///   - durability: What the write survives once it has returned; `nil` means the store's default.
    /// - Throws: With nothing written: `.invalidArgument` (a key above 16 KiB, a value above 32 MiB, an entry above an
    ///   enforced capacity), `.noSpace`, `.stalled`, `.readOnly`, `.closed`, `.poisoned`. For a value to encrypt also
    ///   `.cipherMismatch` (the store was opened without encryption), `.wrongKey` and `.missingKey`. After
    ///   `.indeterminate` only reopening the store shows whether the value was written.
    /// - Complexity: O(key + value).
    @inlinable
    public func set<T: StorableValue>(
        _ value: T?, forKey key: some StoreKey, options: ValueOptions = [], durability: Durability? = nil
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
    /// `format` is JSON or property list. `nil` means the value's own encoding if it has one, otherwise
    /// ``Store/Options/codableFormat``.
    ///
    /// - Throws: `.codecFailure` if the value can't be encoded, with nothing written; the errors of the other `set`.
    @inlinable
    public func set<T: Encodable>(
        _ value: T?, forKey key: some StoreKey, as format: CodableFormat? = nil, options: ValueOptions = [],
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

    /// Removes the key. A literal `nil` selects this overload.
    public func set(_ value: Never?, forKey key: some StoreKey, durability: Durability? = nil) throws(StorageError) {
        try remove(key, durability: durability)
    }

    /// Writes a payload. Not generic: generic callers specialized in other modules share this code.
    @usableFromInline
    package func put(
        _ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ options: ValueOptions, _ durability: Durability?
    ) throws(StorageError) {
        try state.writing { (id) throws(StorageError) in
            // The defaults are read after the id: see NamespaceState.
            let writtenAt = state.writeTime
            if writtenAt != nil, state.isCapped {
                return try putWithinCapacity(payload, codec, key, options, durability)
            }
            try Envelope.with(codec, payload, writtenAt: writtenAt) { (envelope) throws(StorageError) in
                let putOptions = state.putOptions(options)
                if state.encrypts(options) {
                    return try putSealed(envelope, key, id, putOptions, options.cipher, durability)
                }
                try state.engine.with { (engine) throws(StorageError) in
                    try engine.put(envelope, forKey: key, in: id, options: putOptions, durability: durability)
                }
            }
        }
    }

    /// Writes to a namespace whose capacity is enforced. A batch counts what it writes.
    @inline(never)
    private func putWithinCapacity(
        _ payload: RawSpan, _ codec: ValueCodec, _ key: RawSpan, _ options: ValueOptions, _ durability: Durability?
    ) throws(StorageError) {
        var batch = Store.Batch(state.core)
        try batch.put(payload, codec, key, self, options)
        try batch.commit(durability)
    }

    @inline(never)
    private func putSealed(
        _ envelope: RawSpan, _ key: RawSpan, _ id: NamespaceID, _ options: PutOptions, _ cipher: CipherID?,
        _ durability: Durability?
    ) throws(StorageError) {
        let sealed = try state.sealed(envelope, key, id, options, cipher)
        // The key must not be retired before the value is committed.
        defer { withExtendedLifetime(sealed.use) {} }
        try unsafe state.core.engine.put(
            sealed.value.span.bytes, forKey: key, in: id, options: options, durability: durability)
    }
}

extension Store.Namespace {
    /// Sets `key` to `value` in one atomic step if its current value is `expected`. `nil` stands for a missing key on
    /// either side.
    ///
    /// The call retries whenever a concurrent write of the key wins; in each round at least one of the competing
    /// writers succeeds.
    ///
    /// - Returns: True if the value was set; false if nothing was written.
    /// - Throws: The errors of getting and setting. A stored value that is no `T` throws `.typeMismatch` or
    ///   `.codecFailure`; it does not merely count as unequal.
    public func compareAndSet<T: Codable & Equatable>(
        _ value: T?, forKey key: some StoreKey, expecting expected: T?, as format: CodableFormat? = nil,
        options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        let core = state.core
        try core.requireOpen()
        return try core.transaction(
            .max, durability,
            { (transaction) throws(StorageError) in
                let transaction = Store.Transaction(core, transaction)
                guard try transaction.value(forKey: key, in: self, as: T.self) == expected else { return false }
                try transaction.set(value, forKey: key, in: self, as: format, options: options)
                return true
            }, { $0 })
    }
}
