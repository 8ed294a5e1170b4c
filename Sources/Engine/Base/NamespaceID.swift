/// The number of a namespace: the first four bytes (big-endian) of every encoded key.
///
/// Ids rise and are never reused in the lifetime of a store. The engine itself uses 0.
@frozen
public struct NamespaceID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable
    public static func < (a: NamespaceID, b: NamespaceID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "namespace \(rawValue)" }
}

/// The encoding of keys: namespace id, big-endian ‖ user key. Encoded keys are ordered bytewise.
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

    /// Returns the smallest encoded key of a namespace.
    package static func start(of namespace: NamespaceID) -> [UInt8] {
        let id = namespace.rawValue
        return [UInt8(id >> 24), UInt8(id >> 16 & 0xff), UInt8(id >> 8 & 0xff), UInt8(id & 0xff)]
    }
}
