/// The number of a namespace: the first four bytes (big-endian) of every encoded key. Allocated in rising order and
/// never used twice in the life of a store. 0 is the engine's own.
@frozen
public struct NamespaceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable
    public static func < (a: NamespaceID, b: NamespaceID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "namespace \(rawValue)" }
}

/// Encoded key = namespace id, big-endian ‖ user key. Order is plain bytewise order.
@usableFromInline
package enum EncodedKey {
    @inlinable package static var namespaceWidth: Int { 4 }

    @inlinable
    package static func namespace(of key: Bytes) -> NamespaceID {
        NamespaceID(rawValue: key.u32(at: 0).byteSwapped)
    }

    package static func make(_ namespace: NamespaceID, _ userKey: Bytes) -> [UInt8] {
        var key = start(of: namespace)
        unsafe key.append(contentsOf: userKey.buffer)
        return key
    }

    /// The smallest encoded key of a namespace.
    package static func start(of namespace: NamespaceID) -> [UInt8] {
        let id = namespace.rawValue
        return [UInt8(id >> 24), UInt8(id >> 16 & 0xff), UInt8(id >> 8 & 0xff), UInt8(id & 0xff)]
    }
}
