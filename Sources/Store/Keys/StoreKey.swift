public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The key of an entry: `String`, `[UInt8]`, `Data`, ``EntryKey`` or ``CompositeKey``.
///
/// A key is 0 … 16 384 arbitrary bytes; entries are ordered bytewise. A `String` stands for its UTF-8 bytes without
/// Unicode normalization. The same bytes are the same key, whichever type they come from.
public protocol StoreKey: Sendable {
    /// Passes the key's bytes to `body`.
    func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R
}

extension String: StoreKey {
    // Always inlined: a specialized copy of this function would own what `body` captures, and would retain the
    // namespace's handle for that.
    @inlinable @inline(__always)
    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try withBytes(body)
    }
}

extension Array: StoreKey where Element == UInt8 {
    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe body(span.bytes)
    }
}

extension Data: StoreKey {
    @inlinable
    public func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        try body(bytes)
    }
}

extension StoreKey {
    /// A copy of the key's bytes.
    package var keyBytes: [UInt8] {
        get throws(StorageError) {
            try withKeyBytes { (key) in [UInt8](copying: key) }
        }
    }
}

extension String {
    /// Passes the string's UTF-8 bytes to `body`, without copying or allocating unless the string comes from
    /// Objective-C and is not stored as UTF-8. The standard library's accessors don't rethrow typed errors, so the
    /// result passes through a `Result`.
    @inlinable @inline(__always)
    func withBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        let lent = unsafe utf8.withContiguousStorageIfAvailable { (buffer) -> Result<R, StorageError> in
            do throws(StorageError) {
                return .success(try body(unsafe RawSpan(_unsafeElements: buffer)))
            } catch {
                return .failure(error)
            }
        }
        if let lent { return try lent.get() }
        let copy = [UInt8](utf8)
        return try unsafe body(copy.span.bytes)
    }
}

extension [UInt8] {
    @inlinable
    init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

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
