public import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Namespace {
    /// Stores a value in the application's own format; `nil` removes the key.
    ///
    /// - Throws: `.invalidArgument` if ``StoreOptions/codecs`` does not contain `codec`; `.codecFailure` with the error
    ///   of `codec` as its cause; the errors of setting a value. After an error of the codec nothing has been written.
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

    /// Returns the value of `key`, which must have been stored with `codec`; `nil` if the key is missing.
    ///
    /// - Throws: `.typeMismatch` if the value was stored in another format; `.codecFailure` with the error of `codec`
    ///   as its cause; the errors of ``value(forKey:as:)``.
    public func value<Codec: CustomCodec>(
        forKey key: some StoreKey, using codec: Codec
    ) throws(StorageError) -> Codec.Value? {
        // The payload is copied so that the codec's code runs while no resource of the store is held.
        var found: (payload: Data, codec: ValueCodec)?
        try key.withKeyBytes { (key) throws(StorageError) in
            try readPayload(key) { (payload, stored) in found = (Data(copying: payload), stored) }
        }
        guard let found else { return nil }
        return try state.core.codecs.decode(found.payload, found.codec, codec)
    }
}

extension StoreBatch {
    /// Sets a value in the application's own format; `nil` removes the key. See
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
    /// Sets a value in the application's own format; `nil` removes the key. See
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
