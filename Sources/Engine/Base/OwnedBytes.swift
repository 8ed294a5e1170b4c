/// A fixed allocation with one owner that several readers may share: blocks, filters, indexes.
///
/// The memory is 64-byte aligned and freed with the last reference. Callers keep a reference for as long as they use
/// ``bytes`` or ``mutable``.
@safe
@usableFromInline
package final class OwnedBytes: @unchecked Sendable {
    /// The memory for writing, before the allocation is shared.
    @usableFromInline package let mutable: MutableBytes

    package init(count: Int) {
        let memory = unsafe Pages.allocate(max(64, count))
        mutable = unsafe MutableBytes(start: memory, count: count)
    }

    package convenience init(copying source: Bytes) {
        self.init(count: source.count)
        mutable.copy(source, at: 0)
    }

    package convenience init(_ array: [UInt8]) {
        self.init(count: array.count)
        unsafe array.withUnsafeBytes { mutable.copy(unsafe Bytes($0), at: 0) }
    }

    deinit { unsafe Pages.free(mutable.start, max(64, count)) }

    @inlinable @inline(__always)
    package var count: Int { mutable.count }

    @inlinable @inline(__always)
    package var bytes: Bytes { mutable.bytes }
}
