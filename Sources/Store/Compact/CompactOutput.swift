import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The growing memory of a document that is encoded. Used by one thread.
///
/// The memory belongs to the object and is freed with it. Nothing outside reads it while it is written.
@safe
final class CompactOutput {
    /// Enough for most records, so that they take one allocation.
    private static let initialBytes = 448

    private static let keptBytes = 64 << 10

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0
    /// The value that is written at the end of the memory. A container of another one must not write now.
    var active: ObjectIdentifier?
    /// The first misuse of the encoder by a function that can't throw.
    var misuse: String?

    init() {
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: CompactOutput.initialBytes, alignment: 8)
        capacity = CompactOutput.initialBytes
    }

    deinit { unsafe memory.deallocate() }

    /// The bytes written so far. Valid until the next write.
    var bytes: Bytes { unsafe Bytes(start: UnsafeRawPointer(memory), count: count) }

    /// True if the memory is not much more than most records take.
    var isSmall: Bool { capacity <= CompactOutput.keptBytes }

    /// Forgets what was written behind an offset.
    func rollBack(to offset: Int) { count = offset }

    /// Makes room for `extra` more bytes, and 8 bytes behind them.
    @inline(__always)
    private func reserve(_ extra: Int) {
        if count &+ extra &+ 8 > capacity { grow(extra &+ 8) }
    }

    @inline(never)
    private func grow(_ extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        unsafe fresh.copyMemory(from: memory, byteCount: count)
        unsafe memory.deallocate()
        unsafe memory = fresh
        capacity = larger
    }

    // The room for these was reserved.

    @inline(__always)
    private func put(_ byte: UInt8) {
        unsafe memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Stores the lowest `length` bytes of a number.
    @inline(__always)
    private func put(_ bits: UInt64, _ length: Int) {
        unsafe memory.storeBytes(of: bits.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= length
    }

    @inline(__always)
    private func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        unsafe (memory + count).copyMemory(from: start, byteCount: bytes.count)
        count &+= bytes.count
    }
}

/// Values. The sizes of texts and data are at most those of memory; an encoding above 4 GiB fails at its end.
extension CompactOutput {
    @inline(__always)
    func append(kind: UInt8) {
        reserve(1)
        put(kind)
    }

    @inline(__always)
    func append<T: FixedWidthInteger>(_ number: T) {
        reserve(9)
        if number >= 0 {
            guard let bits = UInt64(exactly: number) else { return appendWide(number) }
            if bits <= UInt64(CompactKind.smallMax) { return put(CompactKind.small | UInt8(bits)) }
            append(CompactKind.positive, bits)
        } else {
            guard let small = Int64(exactly: number) else { return appendWide(number) }
            append(CompactKind.negative, UInt64(bitPattern: ~small))
        }
    }

    @inline(__always)
    private func append(_ kind: UInt8, _ bits: UInt64) {
        let length = max(1, 8 &- bits.leadingZeroBitCount >> 3)
        put(kind &+ UInt8(length &- 1))
        put(bits, length)
    }

    @inline(never)
    private func appendWide<T: FixedWidthInteger>(_ number: T) {
        reserve(17)
        let high = UInt64(truncatingIfNeeded: number >> 64)
        put(!T.isSigned && high >> 63 == 1 ? CompactKind.unsignedWide : CompactKind.wide)
        put(UInt64(truncatingIfNeeded: number), 8)
        put(high, 8)
    }

    @inline(__always)
    func append(_ number: Double, _ kind: UInt8 = CompactKind.double) {
        reserve(9)
        put(kind)
        put(number.bitPattern, 8)
    }

    @inline(__always)
    func append(_ number: Float) {
        reserve(5)
        put(CompactKind.float)
        put(UInt64(number.bitPattern), 4)
    }

    func append(_ uuid: UUID) {
        reserve(17)
        put(CompactKind.uuid)
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe put($0) }
    }

    /// Appends a text.
    @inline(__always)
    func append(_ text: String, _ kind: UInt8 = CompactKind.text) {
        let isLent: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { (utf8) in
            unsafe appendContent(UnsafeRawBufferPointer(utf8), kind)
        }
        if isLent == nil { unsafe Array(text.utf8).withUnsafeBytes { unsafe appendContent($0, kind) } }
    }

    @inline(__always)
    private func appendContent(_ bytes: UnsafeRawBufferPointer, _ kind: UInt8) {
        reserve(bytes.count &+ CompactLimits.headerBytes)
        if kind == CompactKind.text, bytes.count <= Int(CompactKind.smallMax) {
            put(CompactKind.shortText | UInt8(bytes.count))
        } else {
            put(kind)
            put(UInt64(truncatingIfNeeded: bytes.count), 4)
        }
        unsafe put(bytes)
    }

    func append(data: RawSpan) {
        unsafe data.withUnsafeBytes { unsafe appendContent($0, CompactKind.bytes) }
    }

    /// Appends the header of a value with a version: see ``VersionedPayload``.
    func appendHeader(of version: Int) {
        reserve(VersionedPayload.headerBytes)
        put(UInt64(UInt32(clamping: version)), 4)
        put(ValueCodec.compact.rawValue)
    }

    // MARK: Containers

    /// Begins a container. ``endContainer(at:)`` sets its length.
    @inline(__always)
    func beginContainer(_ kind: UInt8) {
        reserve(CompactLimits.headerBytes)
        put(kind)
        put(0, 4)
    }

    /// Ends the container that began at an offset. Throws if it takes 4 GiB.
    @inline(__always)
    func endContainer(at offset: Int) throws(StorageError) {
        guard let length = UInt32(exactly: count &- offset &- CompactLimits.headerBytes) else {
            throw StorageError(.codecFailure, "a compact document takes 4 GiB or more")
        }
        unsafe memory.storeBytes(of: length.littleEndian, toByteOffset: offset &+ 1, as: UInt32.self)
    }

    /// Puts a value in place of the byte at an offset.
    func replaceByte(at offset: Int, with value: Bytes) {
        reserve(value.count)
        let tail = count - offset - 1
        unsafe (memory + offset + value.count).copyMemory(from: memory + offset + 1, byteCount: tail)
        unsafe (memory + offset).copyMemory(from: value.start, byteCount: value.count)
        count += value.count - 1
    }
}
