#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What may be the key of an entry: `String` (its UTF-8 bytes, as they are: no Unicode normalisation), `[UInt8]`, `Data`
/// and ``EntryKey``. Any bytes are allowed, 0 … 16 384 of them; entries are ordered bytewise.
///
/// The same bytes are the same key, whichever type they come from.
public protocol StoreKey: Sendable {
    /// Lends the key's bytes to `body`.
    func withKeyBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R
}

extension String: StoreKey {
    // Always, because a specialised copy of this function would take what `body` captures as its own, and count a reference
    // to the namespace's handle for that.
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
    var keyBytes: [UInt8] {
        get throws(StorageError) {
            try withKeyBytes { (key) in [UInt8](copying: key) }
        }
    }
}
