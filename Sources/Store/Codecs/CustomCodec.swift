#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A format of the application's own, for values that no built-in codec suits: protocol buffers, images, compressed text.
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
/// The id is stored with every value: once used, it means this format for good. A format that changes takes a new id, or
/// says its version in its payload.
public protocol CustomCodec<Value>: Sendable {
    associatedtype Value

    /// 128 … 255; one codec of a store has it.
    var id: UInt8 { get }

    /// For error messages and tools.
    var name: String { get }

    /// What it throws reaches the caller as the cause of a `.codecFailure`.
    func encode(_ value: Value) throws -> Data

    /// The value in a payload that its checksum, and nobody else, vouches for: damage should throw, not trap.
    func decode(_ payload: Data) throws -> Value

    /// The payload for readers that don't know `Value`: ``Namespace/object(forKey:)`` and tools. The default is the bytes
    /// as they are.
    func tree(_ payload: Data) throws -> StructuredValue
}

extension CustomCodec {
    public func tree(_ payload: Data) throws -> StructuredValue { .data(payload) }

    var codec: ValueCodec { ValueCodec(rawValue: id) }
}
