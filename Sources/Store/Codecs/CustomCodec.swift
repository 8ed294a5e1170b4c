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
/// let store = try Store(at: path, options: StoreOptions(codecs: [RouteCodec()]))
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

    /// Returns the payload as data for readers that don't know `Value`: ``Namespace/object(forKey:)`` and tools. The
    /// default returns the bytes unchanged.
    func tree(_ payload: Data) throws -> StructuredValue
}

extension CustomCodec {
    public func tree(_ payload: Data) throws -> StructuredValue { .data(payload) }

    var codec: ValueCodec { ValueCodec(rawValue: id) }
}
