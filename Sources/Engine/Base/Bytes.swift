#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif

/// A borrowed range of immutable memory.
///
/// `Bytes` confines the engine's raw memory access. It does not own the memory: code that creates a value documents
/// what keeps the memory alive (an epoch pin, a retained block, an arena). Every access asserts its bounds in debug
/// builds, so the whole test suite runs with checked memory. Release builds rely on the structure checks that each
/// loader makes once. Integers are little-endian unless a name says otherwise.
///
/// Sendable, because the two fields never change and no thread writes the memory while another thread may read it. The
/// code that creates a value guarantees this in the same way as the lifetime: it writes the memory first and publishes
/// it afterwards.
@safe @frozen
@usableFromInline
package struct Bytes: @unchecked Sendable {
    @usableFromInline package let start: UnsafeRawPointer
    @usableFromInline package let count: Int

    @inlinable @inline(__always)
    package init(start: UnsafeRawPointer, count: Int) {
        assert(count >= 0)
        unsafe self.start = start
        self.count = count
    }

    @inlinable @inline(__always)
    package init(_ buffer: UnsafeRawBufferPointer) {
        unsafe self.start = buffer.baseAddress ?? Bytes.emptyAddress
        self.count = buffer.count
    }

    /// An address that is never read: the start of every empty range.
    @inlinable @inline(__always)
    static var emptyAddress: UnsafeRawPointer {
        unsafe UnsafeRawPointer(bitPattern: 64).unsafelyUnwrapped
    }

    @inlinable @inline(__always)
    package static var empty: Bytes { unsafe Bytes(start: emptyAddress, count: 0) }

    @inlinable @inline(__always)
    package var isEmpty: Bool { count == 0 }

    @inlinable @inline(__always)
    package subscript(offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < count)
        return unsafe start.load(fromByteOffset: offset, as: UInt8.self)
    }

    @inlinable @inline(__always)
    package func u16(at offset: Int) -> UInt16 { load(at: offset) }

    @inlinable @inline(__always)
    package func u32(at offset: Int) -> UInt32 { load(at: offset) }

    @inlinable @inline(__always)
    package func u64(at offset: Int) -> UInt64 { load(at: offset) }

    @inlinable @inline(__always)
    package func i64(at offset: Int) -> Int64 { Int64(bitPattern: load(at: offset)) }

    @inlinable @inline(__always)
    func load<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> T {
        assert(offset >= 0 && offset &+ MemoryLayout<T>.size <= count)
        return T(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    @inlinable @inline(__always)
    package func slice(_ from: Int, _ length: Int) -> Bytes {
        assert(from >= 0 && length >= 0 && from &+ length <= count)
        return unsafe Bytes(start: start + from, count: length)
    }

    @inlinable @inline(__always)
    package func suffix(from: Int) -> Bytes { slice(from, count &- from) }

    @inlinable @inline(__always)
    package var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The same memory as a span whose lifetime is bound to this value, not to the memory's owner.
    @inlinable @inline(__always)
    package var span: RawSpan {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: count), borrowing: self)
        }
    }

    @inlinable
    package func array() -> [UInt8] { unsafe [UInt8](buffer) }
}

// MARK: - Order

extension Bytes {
    /// Compares bytewise, as `memcmp` does; a proper prefix comes first.
    ///
    /// - Returns: A negative number, zero or a positive number.
    @inlinable @inline(__always)
    package static func compare(_ a: Bytes, _ b: Bytes) -> Int {
        let shared = a.count < b.count ? a.count : b.count
        let order = unsafe memcmp(a.start, b.start, shared)
        return order != 0 ? Int(order) : a.count &- b.count
    }

    @inlinable @inline(__always)
    package static func == (a: Bytes, b: Bytes) -> Bool {
        guard a.count == b.count else { return false }
        return unsafe memcmp(a.start, b.start, a.count) == 0
    }

    /// Compares like `==`, but is fast for neighbours in key order: they mostly differ in their last eight bytes, which
    /// are compared without a call.
    @inlinable @inline(__always)
    package func isSame(as other: Bytes) -> Bool {
        guard count == other.count else { return false }
        if count >= 8 {
            let tail = unsafe start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            let otherTail = unsafe other.start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            if tail != otherTail { return false }
        }
        return unsafe memcmp(start, other.start, count) == 0
    }

    @inlinable @inline(__always)
    package static func != (a: Bytes, b: Bytes) -> Bool { !(a == b) }

    @inlinable @inline(__always)
    package static func < (a: Bytes, b: Bytes) -> Bool { compare(a, b) < 0 }

    @inlinable @inline(__always)
    package static func <= (a: Bytes, b: Bytes) -> Bool { compare(a, b) <= 0 }

    @inlinable
    package func starts(with prefix: Bytes) -> Bool {
        guard count >= prefix.count else { return false }
        return unsafe memcmp(start, prefix.start, prefix.count) == 0
    }

    @inlinable
    package func sharedPrefixCount(with other: Bytes) -> Int {
        let limit = min(count, other.count)
        var i = 0
        while i < limit, self[i] == other[i] { i &+= 1 }
        return i
    }

    /// Returns the eight bytes from `offset` as a big-endian number shifted right by one.
    ///
    /// Comparing two heads compares the bytes, and the shift keeps the difference of two heads within the sign. Missing
    /// bytes count as zero. Equal heads decide nothing: the caller compares the whole keys.
    @inlinable @inline(__always)
    package func head(at offset: Int) -> UInt64 {
        let rest = count &- offset
        if rest >= 8 {
            return UInt64(bigEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &>> 1
        }
        return shortHead(at: offset, rest: rest)
    }

    @inlinable
    func shortHead(at offset: Int, rest: Int) -> UInt64 {
        guard rest > 0 else { return 0 }
        var value: UInt64 = 0
        for i in 0..<rest { value |= UInt64(self[offset &+ i]) &<< UInt64(56 &- 8 &* i) }
        return value &>> 1
    }
}

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

extension [UInt8] {
    /// Calls `body` with the elements as `Bytes`, which are valid only during the call.
    @inline(__always)
    package func withBytes<R, Failure: Error>(_ body: (Bytes) throws(Failure) -> R) throws(Failure) -> R {
        let span = self.span
        return try unsafe span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try body(unsafe Bytes(buffer)) }
    }
}
