public import ShaleBase

/// The key of an entry that a scan found: bytes in their order, and the text they are, if they are text.
public struct EntryKey: StoreKey, Hashable, Comparable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(_ text: String) { bytes = Array(text.utf8) }

    /// The key as text; `nil` when its bytes are not valid UTF-8. O(n).
    public var string: String? { String(validating: bytes, as: UTF8.self) }

    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe body(bytes.span.bytes)
    }

    /// Bytewise, a proper prefix first: the order of scans.
    public static func < (a: EntryKey, b: EntryKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension EntryKey: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

extension EntryKey: CustomStringConvertible {
    /// The text, or the bytes in hexadecimal behind `0x`.
    public var description: String { string ?? "0x" + Hexadecimal.text(bytes) }
}
