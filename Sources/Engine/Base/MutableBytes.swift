#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif

/// A borrowed range of writable memory.
///
/// The rules of ``Bytes`` apply. The holder also guarantees that no other thread reads the memory during a write.
///
/// Sendable, because the two fields never change and the holder orders all accesses to the memory as above: a value may
/// move to another thread, but only one thread at a time writes through it.
@safe @frozen
@usableFromInline
package struct MutableBytes: @unchecked Sendable {
    @usableFromInline package let start: UnsafeMutableRawPointer
    @usableFromInline package let count: Int

    @inlinable @inline(__always)
    package init(start: UnsafeMutableRawPointer, count: Int) {
        assert(count >= 0)
        unsafe self.start = start
        self.count = count
    }

    @inlinable
    package static var empty: MutableBytes {
        unsafe MutableBytes(start: UnsafeMutableRawPointer(mutating: Bytes.emptyAddress), count: 0)
    }

    @inlinable @inline(__always)
    package var bytes: Bytes { unsafe Bytes(start: UnsafeRawPointer(start), count: count) }

    @inlinable @inline(__always)
    package subscript(offset: Int) -> UInt8 {
        get { bytes[offset] }
        nonmutating set { store(newValue, at: offset) }
    }

    @inlinable @inline(__always)
    package func store(_ value: UInt8, at offset: Int) {
        assert(offset >= 0 && offset < count)
        unsafe start.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }

    @inlinable @inline(__always)
    package func store(_ value: UInt16, at offset: Int) { storeInteger(value, at: offset) }

    @inlinable @inline(__always)
    package func store(_ value: UInt32, at offset: Int) { storeInteger(value, at: offset) }

    @inlinable @inline(__always)
    package func store(_ value: UInt64, at offset: Int) { storeInteger(value, at: offset) }

    @inlinable @inline(__always)
    package func store(_ value: Int64, at offset: Int) { storeInteger(UInt64(bitPattern: value), at: offset) }

    @inlinable @inline(__always)
    func storeInteger<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        assert(offset >= 0 && offset &+ MemoryLayout<T>.size <= count)
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    @inlinable @inline(__always)
    package func copy(_ source: Bytes, at offset: Int) {
        assert(offset >= 0 && offset &+ source.count <= count)
        unsafe memcpy(start + offset, source.start, source.count)
    }

    @inlinable
    package func zero(_ from: Int, _ length: Int) {
        assert(from >= 0 && length >= 0 && from &+ length <= count)
        unsafe memset(start + from, 0, length)
    }

    @inlinable @inline(__always)
    package func slice(_ from: Int, _ length: Int) -> MutableBytes {
        assert(from >= 0 && length >= 0 && from &+ length <= count)
        return unsafe MutableBytes(start: start + from, count: length)
    }

    @inlinable @inline(__always)
    package func suffix(from: Int) -> MutableBytes { slice(from, count &- from) }
}
