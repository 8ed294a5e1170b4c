/// The newest version of a key that a search found, borrowed: `value` is valid as long as the reader's pin.
@frozen
@usableFromInline
package struct FoundEntry: Sendable {
    @usableFromInline package let trailer: Trailer
    @usableFromInline package let expiry: Int64
    @usableFromInline package let value: Bytes

    @inlinable @inline(__always)
    package init(trailer: Trailer, expiry: Int64, value: Bytes) {
        self.trailer = trailer
        self.expiry = expiry
        self.value = value
    }
}
