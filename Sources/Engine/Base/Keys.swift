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

/// A range of keys in bytewise order.
///
/// Either end may be open.
public struct KeyRange: Sendable, Equatable {
    public enum Bound: Sendable, Equatable {
        case unbounded
        case included([UInt8])
        case excluded([UInt8])
    }

    public let lower: Bound
    public let upper: Bound

    public init(lower: Bound, upper: Bound) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of all keys.
    public static let all = KeyRange(lower: .unbounded, upper: .unbounded)

    /// Returns the range of all keys that start with `prefix`.
    public static func prefix(_ prefix: [UInt8]) -> KeyRange {
        guard let end = KeyRange.successor(ofPrefix: prefix) else {
            return KeyRange(lower: .included(prefix), upper: .unbounded)
        }
        return KeyRange(lower: .included(prefix), upper: .excluded(end))
    }

    /// Returns the smallest key above every key that starts with `prefix`; `nil` if there is none (an empty prefix, or
    /// one of 0xff only).
    public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        var end = prefix
        while let last = end.last {
            if last < 0xff {
                end[end.count - 1] = last + 1
                return end
            }
            end.removeLast()
        }
        return nil
    }
}
