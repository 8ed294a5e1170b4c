public import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Namespace {
    /// Stores a value in the application's own format; `nil` removes the key.
    ///
    /// Errors: those of setting a value; `.invalidArgument` when ``StoreOptions/codecs`` does not have `codec`;
    /// `.codecFailure` with what `codec` throws as its cause: nothing was written.
    public func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, using codec: Codec, _ options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        let payload = try state.core.codecs.encode(value, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, codec.codec, key, options, durability)
        }
    }

    /// The value of `key`, which was stored with `codec`; `nil` when the key is missing.
    ///
    /// Errors: `.typeMismatch` when it was stored otherwise, `.codecFailure` with what `codec` throws as its cause, and
    /// those of ``value(forKey:as:)``.
    public func value<Codec: CustomCodec>(
        forKey key: some StoreKey, using codec: Codec
    ) throws(StorageError) -> Codec.Value? {
        // The payload is copied: the codec's code runs with nothing of the store held.
        var found: (payload: Data, codec: ValueCodec)?
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (payload, stored) in found = (Data(copying: payload), stored) }
        }
        guard let found else { return nil }
        return try state.core.codecs.decode(found.payload, found.codec, codec)
    }
}

extension StoreBatch {
    /// Sets a value in the application's own format; `nil` removes the key. As
    /// ``Namespace/set(_:forKey:using:_:durability:)``.
    public mutating func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, in namespace: Namespace, using codec: Codec,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let payload = try namespace.state.core.codecs.encode(value, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, codec.codec, key, namespace, options)
        }
    }
}

extension StoreTransaction {
    /// Sets a value in the application's own format; `nil` removes the key. As
    /// ``Namespace/set(_:forKey:using:_:durability:)``.
    public func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, in namespace: Namespace, using codec: Codec,
        _ options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let payload = try namespace.state.core.codecs.encode(value, codec)
        try put(payload.bytes, codec.codec, key, namespace, options)
    }
}
