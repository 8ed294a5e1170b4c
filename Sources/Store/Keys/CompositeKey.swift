public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A key made of several elements, in an order that compares element by element.
///
/// ```swift
/// try stock.set(12, forKey: CompositeKey("Lund", 7, "tea"))
/// for try await entry in stock.entries(prefix: CompositeKey("Lund", 7)) {
///     print(try CompositeKey(entry.key).element(2, as: String.self))
/// }
/// ```
/// Elements are strings, bytes, integers, `Double`, `Float`, `Bool`, `Date`, `UUID`, `nil`, and composite keys. Keys
/// with equal first elements are neighbours. A key that is the beginning of another one comes first. A scan by prefix
/// finds the keys that begin with the same elements: `("a", 1)` finds `("a", 1, "x")`, but neither `("a", 10)` nor
/// `("a", "1")`.
///
/// Elements of different types are ordered as in this table, which is the format on disk:
///
/// | bytes | element | order |
/// |---|---|---|
/// | 01 | `nil` | |
/// | 02, bytes, 00 | `[UInt8]`, `Data` | bytewise, a beginning first |
/// | 03, UTF-8, 00 | `String` | bytewise, a beginning first |
/// | 05, elements, 00 | `CompositeKey` | element by element |
/// | 0c … 13, 8 … 1 bytes | integers below 0: n − 1 + 2⁸ᵇ for b bytes, big-endian | by value |
/// | 14 | 0 | by value |
/// | 15 … 1c, 1 … 8 bytes | integers above 0, big-endian | by value |
/// | 21, 8 bytes | `Double`, `Float` as `Double` | by value; −0.0 before 0.0, NaN at the ends |
/// | 26, 27 | `false`, `true` | |
/// | 30, 16 bytes | `UUID` | bytewise |
/// | 38, 8 bytes | `Date`, seconds since 2001 as `Double` | by time |
///
/// Inside strings and bytes, 00 is written as 01 01 and 01 as 01 02. So 00 never occurs inside an element, and the
/// bytes of a key are the beginning of another key's only if its elements are. Integers take as few bytes as possible,
/// and all integer types share one encoding. A `Double` is written big-endian, with the sign bit flipped if it is not
/// negative, and with all bits flipped if it is.
public struct CompositeKey: StoreKey, Hashable {
    /// The number of levels of keys inside keys that a key may have.
    static let depthMax = 64

    /// The encoded elements.
    public let bytes: [UInt8]
    /// The levels of keys inside this one.
    let depth: Int
    /// True if a date is not a number.
    let hasBadDate: Bool

    /// Makes a key of elements; `nil` stands for itself.
    ///
    /// Every use of the key throws `.invalidArgument` if a date is not a number, or if keys are nested deeper than 64
    /// levels.
    public init(_ elements: (any CompositeKeyElement)?...) { self.init(elements: elements) }

    /// Makes a key of a list of elements.
    public init(elements: [(any CompositeKeyElement)?]) {
        var encoder = CompositeKeyEncoder()
        for element in elements { encoder.append(element?.compositeElement ?? .null) }
        self.init(encoder)
    }

    init(_ encoder: CompositeKeyEncoder) {
        bytes = encoder.bytes
        depth = encoder.depth
        hasBadDate = encoder.hasBadDate
    }

    /// Reads the key of an entry.
    ///
    /// - Throws: `.codecFailure` if the bytes are no composite key.
    public init(_ key: EntryKey) throws(StorageError) { try self.init(bytes: key.bytes) }

    /// Reads encoded elements.
    ///
    /// - Throws: `.codecFailure` if the bytes are no composite key.
    public init(bytes: [UInt8]) throws(StorageError) {
        depth = try CompositeKey.elements(of: bytes).reduce(0) { max($0, $1.depth) }
        self.bytes = bytes
        hasBadDate = false
    }

    /// One element of a key.
    public enum Element: Sendable, Hashable {
        case null
        case bytes([UInt8])
        case string(String)
        case key(CompositeKey)
        case int(Int64)
        /// A number above `Int64.max`.
        case unsigned(UInt64)
        case double(Double)
        case bool(Bool)
        case uuid(UUID)
        case date(Date)
    }

    /// The elements, in order.
    ///
    /// - Throws: `.invalidArgument` if the key can't be used.
    /// - Complexity: O(bytes).
    public var elements: [Element] {
        get throws(StorageError) {
            try requireUsable()
            return try CompositeKey.elements(of: bytes)
        }
    }

    /// Returns an element as a type.
    ///
    /// - Throws: `.invalidArgument` if there are not that many elements. `.typeMismatch` if the element is of another
    ///   type, or does not fit into `type`.
    /// - Complexity: O(bytes).
    public func element<T: CompositeKeyElement>(_ index: Int, as type: T.Type = T.self) throws(StorageError) -> T {
        let elements = try elements
        guard elements.indices.contains(index) else {
            throw .invalid("a composite key has \(elements.count) elements, and none at \(index)")
        }
        guard let value = T(compositeElement: elements[index]) else {
            throw .typeMismatch(stored: elements[index].typeName, requested: "\(T.self)")
        }
        return value
    }

    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try requireUsable()
        return try unsafe body(bytes.span.bytes)
    }

    private func requireUsable() throws(StorageError) {
        if hasBadDate { throw .dateIsNoNumber() }
        guard depth <= CompositeKey.depthMax else {
            throw .invalid("composite keys are nested deeper than \(CompositeKey.depthMax) levels")
        }
    }

    private static func elements(of bytes: [UInt8]) throws(StorageError) -> [Element] {
        do throws(ParseFailure) {
            return try bytes.withBytes { (bytes) throws(ParseFailure) in
                var decoder = CompositeKeyDecoder(bytes)
                return try decoder.elements()
            }
        } catch {
            throw StorageError(.codecFailure, "the bytes are no composite key: \(error.reason)")
        }
    }
}

extension CompositeKey: Comparable {
    /// Compares as the store does: element by element.
    public static func < (a: CompositeKey, b: CompositeKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension CompositeKey: CustomStringConvertible {
    /// The elements in parentheses.
    public var description: String {
        do throws(StorageError) {
            return "(" + (try elements).map(\.description).joined(separator: ", ") + ")"
        } catch {
            return EntryKey(bytes).description
        }
    }
}

extension CompositeKey.Element: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .bytes(let value): "0x" + Hexadecimal.text(value)
        case .string(let value): value.debugDescription
        case .key(let value): value.description
        case .int(let value): value.description
        case .unsigned(let value): value.description
        case .double(let value): value.description
        case .bool(let value): value.description
        case .uuid(let value): value.description
        case .date(let value): value.description
        }
    }

    /// The levels of keys in this element.
    var depth: Int {
        guard case .key(let key) = self else { return 0 }
        return key.depth + 1
    }

    /// The name of the type in error messages.
    fileprivate var typeName: String {
        switch self {
        case .null: "nil"
        case .bytes: "bytes"
        case .string: "string"
        case .key: "key"
        case .int: "int"
        case .unsigned: "unsigned"
        case .double: "double"
        case .bool: "bool"
        case .uuid: "uuid"
        case .date: "date"
        }
    }
}
