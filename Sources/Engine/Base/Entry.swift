/// The entry at a cursor's position: one version of one key, borrowed.
///
/// Its pointers stay valid until the cursor that filled the run fills its next run.
///
/// Sendable, because it is a value whose pointers are only read, under the rules of ``Bytes``: no thread writes the
/// memory of a key or value that a run contains.
@safe @frozen
@usableFromInline
package struct Entry: @unchecked Sendable {
    /// The eight key bytes after the merge's common prefix: see `Bytes.head(at:)`.
    @usableFromInline package var head: UInt64
    @usableFromInline package var trailer: Trailer
    /// Expiry in milliseconds since 1970; 0 unless `trailer`'s kind has an expiry.
    @usableFromInline package var expiry: Int64
    @usableFromInline var keyStart: UnsafeRawPointer
    @usableFromInline var valueStart: UnsafeRawPointer
    @usableFromInline var keyCount: UInt32
    @usableFromInline var valueCount: UInt32

    @inlinable @inline(__always)
    package init(head: UInt64, key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) {
        self.head = head
        self.trailer = trailer
        self.expiry = expiry
        unsafe keyStart = key.start
        unsafe valueStart = value.start
        keyCount = UInt32(truncatingIfNeeded: key.count)
        valueCount = UInt32(truncatingIfNeeded: value.count)
    }

    /// The encoded key: namespace id ‖ user key.
    @inlinable @inline(__always)
    package var key: Bytes { unsafe Bytes(start: keyStart, count: Int(keyCount)) }

    @inlinable @inline(__always)
    package var value: Bytes { unsafe Bytes(start: valueStart, count: Int(valueCount)) }

    @inlinable @inline(__always)
    package var userKey: Bytes { key.suffix(from: EncodedKey.namespaceWidth) }

    /// Orders entries as every source does: by ascending key, then by descending sequence.
    @inlinable @inline(__always)
    package static func isBefore(_ a: borrowing Entry, _ b: borrowing Entry) -> Bool {
        if a.head != b.head { return a.head < b.head }
        let order = Bytes.compare(a.key, b.key)
        return order != 0 ? order < 0 : a.trailer.rawValue > b.trailer.rawValue
    }
}
