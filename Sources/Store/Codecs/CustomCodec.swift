public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A format that the application defines, for values that no built-in codec suits: protocol buffers, images, compressed
/// text.
///
/// ```swift
/// struct RouteCodec: CustomCodec {
///     let id: UInt8 = 130
///     let name = "route"
///     func encode(_ route: Route) throws -> Data { try route.serializedData() }
///     func decode(_ payload: Data) throws -> Route { try Route(serializedData: payload) }
/// }
/// let store = try Store(at: path, options: Store.Options(codecs: [RouteCodec()]))
/// try routes.set(route, forKey: "home", using: RouteCodec())
/// ```
/// The id is stored with every value: once used, it must mean this format permanently. If the format changes, take a
/// new id or store a version number in the payload.
public protocol CustomCodec<Value>: Sendable {
    associatedtype Value

    /// The number stored with each value, 128 … 255. Unique among the codecs of a store.
    var id: UInt8 { get }

    /// The name for error messages and tools.
    var name: String { get }

    /// Returns the payload of a value. An error thrown here reaches the caller as the cause of a `.codecFailure`.
    func encode(_ value: Value) throws -> Data

    /// Returns the value of a payload. Only a checksum protects the payload, so the implementation must throw on
    /// damage, not trap.
    func decode(_ payload: Data) throws -> Value

    /// Returns the payload as data for readers that don't know `Value`: ``NamespaceReader/object(forKey:)`` and tools.
    /// The default returns the bytes unchanged.
    func tree(_ payload: Data) throws -> StructuredValue
}

extension CustomCodec {
    public func tree(_ payload: Data) throws -> StructuredValue { .data(payload) }

    var codec: ValueCodec { ValueCodec(rawValue: id) }
}

extension Store.Namespace {
    /// Stores a value in the application's own format; `nil` removes the key.
    ///
    /// - Throws: `.invalidArgument` if ``Store/Options/codecs`` does not contain `codec`; `.codecFailure` with the
    ///   error of `codec` as its cause; the errors of setting a value. After an error of the codec nothing has been
    ///   written.
    public func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, using codec: Codec, options: ValueOptions = [],
        durability: Durability? = nil
    ) throws(StorageError) {
        guard let value else { return try remove(key, durability: durability) }
        let payload = try state.core.codecs.encode(value, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, codec.codec, key, options, durability)
        }
    }
}

extension NamespaceReader {
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
        return try source.state.core.codecs.decode(found.payload, found.codec, codec)
    }
}

extension Store.Batch {
    /// Sets a value in the application's own format; `nil` removes the key. See
    /// ``Store/Namespace/set(_:forKey:using:options:durability:)``.
    public mutating func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, in namespace: Store.Namespace, using codec: Codec,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let payload = try namespace.state.core.codecs.encode(value, codec)
        try key.withKeyBytes { (key) throws(StorageError) in
            try put(payload.bytes, codec.codec, key, namespace, options)
        }
    }
}

extension Store.Transaction {
    /// Sets a value in the application's own format; `nil` removes the key. See
    /// ``Store/Namespace/set(_:forKey:using:options:durability:)``.
    public func set<Codec: CustomCodec>(
        _ value: Codec.Value?, forKey key: some StoreKey, in namespace: Store.Namespace, using codec: Codec,
        options: ValueOptions = []
    ) throws(StorageError) {
        guard let value else { return try remove(key, in: namespace) }
        let payload = try namespace.state.core.codecs.encode(value, codec)
        try put(payload.bytes, codec.codec, key, namespace, options)
    }
}
