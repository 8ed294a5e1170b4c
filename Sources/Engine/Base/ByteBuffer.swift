#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A growable buffer of raw bytes with a single owner, to which encoders append.
///
/// The memory is 16-byte aligned: the alignment of the heap, which allocates a larger one several times as slowly.
/// `removeAll` keeps it, so a reused buffer allocates nothing after its first use. Large buffers are freed as whole
/// pages.
@safe
@usableFromInline
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
    @usableFromInline package private(set) var start: UnsafeMutableRawPointer
    @usableFromInline package private(set) var capacity: Int
    @usableFromInline package var count: Int

    package init(capacity: Int = 0) {
        let rounded = max(64, capacity)
        unsafe self.start = Pages.allocate(rounded, alignment: ByteBuffer.alignment)
        self.capacity = rounded
        self.count = 0
    }

    deinit { unsafe Pages.free(start, capacity) }

    @inlinable @inline(__always)
    package var bytes: Bytes { unsafe Bytes(start: UnsafeRawPointer(start), count: count) }

    @inlinable @inline(__always)
    package var mutableBytes: MutableBytes { unsafe MutableBytes(start: start, count: count) }

    @inlinable @inline(__always)
    package mutating func removeAll() { count = 0 }

    /// Makes room for `extra` more bytes without another allocation.
    @inlinable @inline(__always)
    package mutating func reserve(_ extra: Int) {
        if count &+ extra > capacity { grow(by: extra) }
    }

    @usableFromInline static var heapBytesMax: Int { 32 << 10 }
    private static var alignment: Int { 16 }

    @usableFromInline @inline(never)
    package mutating func grow(by extra: Int) {
        let needed = max(capacity * 2, (count + extra + 63) & ~63)
        // Above 32 KiB, jumps to the page-backed size at once: untouched pages cost nothing, and the copies of the
        // sizes between are saved.
        let wanted = needed > ByteBuffer.heapBytesMax ? max(needed, Pages.worthwhileBytes) : needed
        let fresh = unsafe Pages.allocate(wanted, alignment: ByteBuffer.alignment)
        unsafe memcpy(fresh, start, count)
        unsafe Pages.free(start, capacity)
        unsafe start = fresh
        capacity = wanted
    }

    /// Appends `length` bytes of unspecified content and returns them, for the caller to fill.
    @inlinable @inline(__always)
    package mutating func extend(_ length: Int) -> MutableBytes {
        reserve(length)
        let fresh = unsafe MutableBytes(start: start + count, count: length)
        count &+= length
        return fresh
    }

    @inlinable @inline(__always)
    package mutating func append(_ value: UInt8) { extend(1).store(value, at: 0) }

    @inlinable @inline(__always)
    package mutating func append(_ value: UInt16) { extend(2).store(value, at: 0) }

    @inlinable @inline(__always)
    package mutating func append(_ value: UInt32) { extend(4).store(value, at: 0) }

    @inlinable @inline(__always)
    package mutating func append(_ value: UInt64) { extend(8).store(value, at: 0) }

    @inlinable @inline(__always)
    package mutating func append(_ value: Int64) { extend(8).store(value, at: 0) }

    @inlinable @inline(__always)
    package mutating func append(_ source: Bytes) { extend(source.count).copy(source, at: 0) }

    @inlinable
    package mutating func append(_ source: [UInt8]) {
        unsafe source.withUnsafeBytes { append(unsafe Bytes($0)) }
    }
}
