public import ShaleBase

extension Namespace {
    /// Returns the value of `key` as a type that has an encoding of its own; `nil` if the key is missing.
    ///
    /// The call takes no lock. If nothing is cached, it usually reads one block from disk.
    ///
    /// - Throws: `.typeMismatch` if another type is stored (``StorableValue`` lists the conversions); `.corruption`,
    ///   `.newerFormat`, `.ioFailure`, `.closed`. For encrypted values also `.cipherMismatch` (opened without
    ///   encryption or without this value's cipher) and `.authenticationFailed`. An error never turns into `nil`.
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

    /// Returns the value of `key`, decoded from the format that it was stored in; `nil` if the key is missing.
    ///
    /// - Throws: `.codecFailure` if the stored value does not decode to `type`; the errors of the other `value`.
    @inlinable
    public func value<T: Decodable>(forKey key: some StoreKey, as type: T.Type = T.self) throws(StorageError) -> T? {
        // The decoded value does not pass through the closure: moving it out of there takes longer than copying the
        // payload.
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

    /// Returns the value of `key` in the form in which it was stored; `nil` if the key is missing. Throws the errors of
    /// ``value(forKey:as:)``.
    public func object(forKey key: some StoreKey) throws(StorageError) -> StoredValue? {
        try read(key) { (value) throws(StorageError) in
            try EncodedValue.object(value, state.core.codecs)
        }
    }

    /// Returns the encoded bytes of the value of `key`, decrypted if necessary, with their codec; `nil` if the key is
    /// missing.
    ///
    /// For tools and copies. The bytes are not decoded, so the codec need not be known or registered. Throws the errors
    /// of ``value(forKey:as:)``.
    public func payload(forKey key: some StoreKey) throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8])? {
        try read(key) { (value) throws(StorageError) in
            try Envelope.read(value) { (envelope) throws(StorageError) in
                (envelope.codec, envelope.payload.array())
            }
        }
    }

    /// Returns true if `key` exists. Does not read its value.
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

    /// Returns what is known of the entry of `key` without decoding its value; `nil` if the key is missing.
    public func info(forKey key: some StoreKey) throws(StorageError) -> ValueInfo? {
        let engine = state.core.engine
        return try key.withKeyBytes { (key) throws(StorageError) in
            try state.reading { (id) throws(StorageError) -> ValueInfo? in
                // Both lookups use one snapshot, so they see the same entry.
                let moment = engine.snapshot()
                guard let entry = try engine.info(forKey: key, in: id, at: moment) else { return nil }
                return try engine.withValue(forKey: key, in: id, at: moment) { (value) throws(StorageError) in
                    try ValueInfo(value, entry)
                }
            }
        }
    }

    /// Passes the payload of a key to `body` if the key exists. Not generic, for the reason given at
    /// ``put(_:_:_:_:_:)``.
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

    /// Passes the envelope of a key, decrypted if necessary, to `body`; returns `nil` if the key is missing.
    func read<R>(_ key: RawSpan, _ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R? {
        try state.reading { (id) throws(StorageError) in
            try state.core.engine.withEntry(forKey: key, in: id) { (found) throws(StorageError) in
                state.noteUse(key, id)
                return try state.withPlain(found, key, id, body)
            }
        }
    }
}
