public import ShaleBase

/// Everything that can be read from a namespace: as it is now, at a moment, or as a transaction sees it.
///
/// | reader | reads |
/// |---|---|
/// | ``Store/Namespace`` | the present; each call and each scan sees its own moment |
/// | ``Store/Snapshot/Reader``, from `snapshot[orders]` | the moment of the snapshot |
/// | ``Store/Transaction/Reader``, from `transaction[orders]` | the transaction's moment and its own writes |
///
/// Write a function for any of them as a function of `some NamespaceReader`:
/// ```swift
/// func total(of orders: some NamespaceReader) throws(StorageError) -> Int {
///     try orders.entries(prefix: "2026-").reduce(0) { (sum, entry) throws(StorageError) in
///         sum + (try entry.value(as: Order.self).count)
///     }
/// }
/// ```
/// Only the types of this library conform.
public protocol NamespaceReader: Sendable {
    /// The namespace and the moment that the reader reads. For the library's own use.
    var source: Store.Namespace.Source { get }

    /// Passes the payload of a key, decrypted if necessary, and its codec to `body` if the key exists. For the
    /// library's own use: ``payload(forKey:)`` returns a copy.
    func readPayload(
        _ key: RawSpan, _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError)

    /// Returns true if a key exists. For the library's own use: ``NamespaceReader/contains(_:)`` takes any key.
    func hasEntry(_ key: RawSpan) throws(StorageError) -> Bool
}

extension NamespaceReader {
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
    /// A type with a raw value, such as an enum of strings, also reads from a stored raw value. ``StorableValue`` lists
    /// the conversions.
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

    /// Returns the value of a typed key; its default if the key is missing.
    ///
    /// - Throws: `.typeMismatch` if another type is stored; `.codecFailure` if the value can't be decoded;
    ///   `.corruption`, `.newerFormat`, `.ioFailure`, `.closed`. An error never turns into the default.
    public func value<Value>(for key: Key<Value>) throws(StorageError) -> Value {
        try key.coding.read(self, key.name) ?? key.defaultValue
    }

    /// Returns the value of `key` in the form in which it was stored; `nil` if the key is missing. Throws the errors of
    /// ``value(forKey:as:)``.
    public func object(forKey key: some StoreKey) throws(StorageError) -> StoredValue? {
        try key.withKeyBytes { (key) throws(StorageError) in
            try source.withEnvelope(key) { (value) throws(StorageError) in
                try EncodedValue.object(value, source.state.core.codecs)
            }
        }
    }

    /// Returns the encoded bytes of the value of `key`, decrypted if necessary, with their codec; `nil` if the key is
    /// missing.
    ///
    /// For tools and copies. The bytes are not decoded, so the codec need not be known or registered.
    /// ``Store/Namespace/setPayload(_:codec:forKey:options:durability:)`` writes them back. Throws the errors of
    /// ``value(forKey:as:)``.
    public func payload(forKey key: some StoreKey) throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8])? {
        var found: (codec: ValueCodec, bytes: [UInt8])?
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (payload, codec) in found = (codec, [UInt8](copying: payload)) }
        }
        return found
    }

    /// Returns true if `key` exists. Does not read its value.
    @inlinable
    public func contains(_ key: some StoreKey) throws(StorageError) -> Bool {
        try key.withKeyBytes { (key) throws(StorageError) in try hasEntry(key) }
    }

    /// Returns true if a typed key exists.
    public func contains<Value>(_ key: Key<Value>) throws(StorageError) -> Bool { try contains(key.name) }

    /// Returns what is known of the entry of `key` without decoding its value; `nil` if the key is missing.
    ///
    /// ``ValueInfo/options`` keeps expiry, purgeability and encryption when the value is written again.
    public func info(forKey key: some StoreKey) throws(StorageError) -> ValueInfo? {
        try key.withKeyBytes { (key) throws(StorageError) in try source.info(key) }
    }
}

// MARK: Several keys

extension NamespaceReader {
    /// Returns the values of several keys as a type that has an encoding of its own, in the order of `keys`; `nil` for
    /// each missing key. All of them are of one moment.
    ///
    /// ```swift
    /// let stock = try items.values(forKeys: ["tea", "salt", "rice"], as: Int.self)
    /// ```
    /// - Throws: The errors of ``value(forKey:as:)``. The first one ends the call.
    /// - Complexity: That of single reads. It holds the moment's versions for the duration of the call.
    public func values<T: StorableValue>(
        forKeys keys: some Sequence<some StoreKey>, as type: T.Type = T.self
    ) throws(StorageError) -> [T?] {
        try values(keys) { (payload, codec) throws(StorageError) in try T.decode(payload, codec) }
    }

    /// Returns the values of several keys, decoded from the formats that they were stored in, in the order of `keys`;
    /// `nil` for each missing key. All of them are of one moment. Throws the errors of ``value(forKey:as:)``.
    public func values<T: Decodable>(
        forKeys keys: some Sequence<some StoreKey>, as type: T.Type = T.self
    ) throws(StorageError) -> [T?] {
        var values: [T?] = []
        // Decoding is slow, so it happens after the engine's memory is released.
        for payload in try self.values(keys, { (payload, codec) in CopiedPayload(payload, codec) }) {
            values.append(try payload.map { (payload) throws(StorageError) in try payload.decoded(T.self) })
        }
        return values
    }

    func values<T>(
        _ keys: some Sequence<some StoreKey>, _ decode: (RawSpan, ValueCodec) throws(StorageError) -> T
    ) throws(StorageError) -> [T?] {
        var bytes: [[UInt8]] = []
        bytes.reserveCapacity(keys.underestimatedCount)
        for key in keys { bytes.append(try key.keyBytes) }
        return try source.values(bytes) { (value) throws(StorageError) in
            try Envelope.read(value) { (envelope) throws(StorageError) in
                try decode(envelope.payload.span, envelope.codec)
            }
        }
    }
}

// MARK: Witnesses

extension NamespaceReader {
    public func readPayload(
        _ key: RawSpan, _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        _ = try source.withEnvelope(key) { (value) throws(StorageError) in
            try Envelope.read(value) { (envelope) throws(StorageError) in
                try body(envelope.payload.span, envelope.codec)
            }
        }
    }

    public func hasEntry(_ key: RawSpan) throws(StorageError) -> Bool { try source.contains(key) }
}

extension Store.Namespace: NamespaceReader {
    public var source: Source { Source(state, .now) }

    /// Passes the payload of a key to `body` if the key exists. Not generic, for the reason given at
    /// `Namespace.put`. It takes no reference to the state, unlike ``source``.
    public func readPayload(
        _ key: RawSpan, _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        _ = try state.reading { (id) throws(StorageError) in
            try state.engine.with { (engine) throws(StorageError) in
                try engine.readEntry(forKey: key, in: id) { (found) throws(StorageError) in
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

    public func hasEntry(_ key: RawSpan) throws(StorageError) -> Bool {
        try state.reading { (id) throws(StorageError) in
            try state.engine.with { (engine) throws(StorageError) in try engine.contains(key: key, in: id) }
        } ?? false
    }
}
