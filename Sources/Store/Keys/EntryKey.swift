public import ShaleBase

/// The key of an entry that a scan found: its bytes, and its text if the bytes are UTF-8.
public struct EntryKey: StoreKey, Hashable, Comparable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(_ text: String) { bytes = Array(text.utf8) }

    /// The key as text; `nil` if its bytes are not valid UTF-8.
    ///
    /// - Complexity: O(bytes).
    public var string: String? { String(validating: bytes, as: UTF8.self) }

    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe body(bytes.span.bytes)
    }

    /// Compares bytewise, with a proper prefix first. This is the order of scans.
    public static func < (a: EntryKey, b: EntryKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension EntryKey: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

extension EntryKey: CustomStringConvertible {
    /// The text; for keys that are not UTF-8, `0x` and the bytes in hexadecimal.
    public var description: String { string ?? "0x" + Hexadecimal.text(bytes) }
}
