public import ShaleBase

extension Namespace {
    /// The value of `key` as a type that has an encoding of its own; `nil` when the key is missing.
    ///
    /// Errors: `.typeMismatch` when something else is stored (what may be read as what: ``StorableValue``),
    /// `.corruption`, `.newerFormat`, `.ioFailure`, `.closed`; of encrypted values also `.cipherMismatch` (opened without
    /// encryption, or without this value's cipher) and `.authenticationFailed`. An error is never turned into `nil`. No lock; one block
    /// read at most when nothing is cached.
    @inlinable
    public func value<T: StorableValue>(
        forKey key: some StoreKey, as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try key.withKeyBytes { (key) throws(StorageError) in
            var value: T?
            try readPayload(key) { (payload, codec) throws(StorageError) in value = try T.decode(payload, codec) }
            return value
        }
    }

    /// The value of `key`, decoded from the format that it was stored in; `nil` when the key is missing.
    ///
    /// Errors as for the other `value`, and `.codecFailure` when what is stored does not decode to `type`.
    @inlinable
    public func value<T: Decodable>(forKey key: some StoreKey, as type: T.Type = T.self) throws(StorageError) -> T? {
        // What is decoded does not pass through the closure: copying it out of there takes longer than the copy of the payload.
        let stored = try key.withKeyBytes { (key) throws(StorageError) in try copiedPayload(key) }
        guard let stored else { return nil }
        return try stored.decoded(T.self)
    }

    @usableFromInline
    func copiedPayload(_ key: RawSpan) throws(StorageError) -> CopiedPayload? {
        var copy: CopiedPayload?
        try readPayload(key) { (payload, codec) in copy = CopiedPayload(payload, codec) }
        return copy
    }

    /// The value of `key` as it was stored; `nil` when the key is missing. Errors as for ``value(forKey:as:)``.
    public func object(forKey key: some StoreKey) throws(StorageError) -> StoredValue? {
        try read(key) { (value) throws(StorageError) in
            try EncodedValue.object(value, state.core.codecs)
        }
    }

    /// The encoded value of `key`, byte by byte and in the clear, with its codec; `nil` when the key is missing. For tools and
    /// copies: what is stored is not decoded, so neither has the codec to be known. Errors as for ``value(forKey:as:)``.
    public func payload(forKey key: some StoreKey) throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8])? {
        try read(key) { (value) throws(StorageError) in
            try Envelope.read(value) { (envelope) throws(StorageError) in
                (envelope.codec, envelope.payload.array())
            }
        }
    }

    /// Whether `key` is there. Its value is not looked at.
    @inlinable
    public func contains(_ key: some StoreKey) throws(StorageError) -> Bool {
        try key.withKeyBytes { (key) throws(StorageError) in try hasEntry(key) }
    }

    @usableFromInline
    func hasEntry(_ key: RawSpan) throws(StorageError) -> Bool {
        try state.reading { (id) throws(StorageError) in
            try state.engine.with { (engine) throws(StorageError) in try engine.contains(key: key, in: id) }
        } ?? false
    }

    /// What is known of the entry of `key` without decoding its value; `nil` when the key is missing.
    public func info(forKey key: some StoreKey) throws(StorageError) -> ValueInfo? {
        let engine = state.core.engine
        return try key.withKeyBytes { (key) throws(StorageError) in
            try state.reading { (id) throws(StorageError) -> ValueInfo? in
                // Two looks at one moment see the same entry.
                let moment = engine.snapshot()
                guard let entry = try engine.info(forKey: key, in: id, at: moment) else { return nil }
                return try engine.withValue(forKey: key, in: id, at: moment) { (value) throws(StorageError) in
                    try ValueInfo(value, entry)
                }
            }
        }
    }

    /// Lends the payload of a key that is there. Not generic, as ``put(_:_:_:_:_:)``.
    @usableFromInline
    package func readPayload(
        _ key: RawSpan, _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        _ = try state.reading { (id) throws(StorageError) in
            try state.engine.with { (engine) throws(StorageError) in
                try engine.withEntry(forKey: key, in: id) { (found) throws(StorageError) in
                    state.noteUse(key, id)
                    try state.withPlain(found, key, id) { (value) throws(StorageError) in
                        try Envelope.read(value) { (envelope) throws(StorageError) in
                            try body(envelope.payload.span, envelope.codec)
                        }
                    }
                }
            }
        }
    }

    private func read<R>(
        _ key: some StoreKey, _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try key.withKeyBytes { (key) throws(StorageError) in try read(key, body) }
    }

    /// Lends the envelope of a key, in the clear; `nil` when the key is missing.
    func read<R>(_ key: RawSpan, _ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R? {
        try state.reading { (id) throws(StorageError) in
            try state.core.engine.withEntry(forKey: key, in: id) { (found) throws(StorageError) in
                state.noteUse(key, id)
                return try state.withPlain(found, key, id, body)
            }
        }
    }
}
