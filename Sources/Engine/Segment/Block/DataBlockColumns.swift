import ShaleBase
import Synchronization

/// The columns of a data block as plain pointers, read from the header once per loop over entries: the compiler can't
/// keep header fields in registers across stores.
@safe
struct DataBlockColumns {
    private let heads: UnsafePointer<UInt64>
    private let rows: UnsafePointer<UInt32>
    private let suffixes: UnsafeRawPointer
    private let values: UnsafeRawPointer
    private let kinds: UnsafeRawPointer
    private let kindStride: Int
    private let sequences: UnsafeRawPointer
    private let sequenceWidth: Int
    private let sequenceMask: UInt64
    private let sequenceBase: UInt64
    private let expiries: UnsafeRawPointer
    private let expiryStride: Int

    @inline(__always)
    init(_ header: UnsafeMutablePointer<DataBlockHeader>) {
        let base = UnsafeRawPointer(header)
        unsafe heads = (base + DataBlock.headsOffset).assumingMemoryBound(to: UInt64.self)
        unsafe rows = (base + Int(header.pointee.rowsOffset)).assumingMemoryBound(to: UInt32.self)
        unsafe suffixes = base + Int(header.pointee.suffixesOffset)
        unsafe values = base + Int(header.pointee.valuesOffset)
        unsafe kinds = base + Int(header.pointee.kindsOffset)
        kindStride = unsafe Int(header.pointee.kindStride)
        unsafe sequences = base + Int(header.pointee.sequencesOffset)
        sequenceWidth = unsafe Int(header.pointee.sequenceWidth)
        sequenceMask = unsafe UInt64.max &>> UInt64(header.pointee.sequenceMaskShift)
        sequenceBase = unsafe header.pointee.sequenceBase
        unsafe expiries = base + Int(header.pointee.expiriesOffset)
        expiryStride = unsafe Int(header.pointee.expiryStride)
    }

    /// Prefetches an entry without waiting. (A relaxed atomic load, because the compiler may not remove it.)
    @inline(__always)
    func touch(_ index: Int) {
        unsafe DataBlockColumns.touch(unsafe sequences + index &* sequenceWidth)
        unsafe DataBlockColumns.touch(unsafe suffix(index).start)
        let value = value(index)
        unsafe DataBlockColumns.touch(unsafe value.start)
        unsafe DataBlockColumns.touch(unsafe value.start + value.count)
    }

    @inline(__always)
    private static func touch(_ place: UnsafeRawPointer) {
        _ = unsafe place.assumingMemoryBound(to: Atomic<UInt8>.self).pointee.load(ordering: .relaxed)
    }

    @inline(__always)
    func head(_ index: Int) -> UInt64 { unsafe heads[index] }

    /// Returns the part of entry `index`'s key that follows the shared prefix.
    @inline(__always)
    func suffix(_ index: Int) -> Bytes {
        let from = Int(unsafe rows[2 &* index])
        let end = Int(unsafe rows[2 &* index &+ 2])
        return unsafe Bytes(start: suffixes + from, count: end &- from)
    }

    @inline(__always)
    func value(_ index: Int) -> Bytes {
        let from = Int(unsafe rows[2 &* index &+ 1])
        let end = Int(unsafe rows[2 &* index &+ 3])
        return unsafe Bytes(start: values + from, count: end &- from)
    }

    /// The length of all values before entry `index`, which may be the number of entries.
    @inline(__always)
    func valueBytes(before index: Int) -> Int { Int(unsafe rows[2 &* index &+ 1]) }

    @inline(__always)
    func sequence(_ index: Int) -> SequenceNumber {
        let word = unsafe sequences.loadUnaligned(fromByteOffset: index &* sequenceWidth, as: UInt64.self)
        return sequenceBase &+ (UInt64(littleEndian: word) & sequenceMask)
    }

    @inline(__always)
    func trailer(_ index: Int) -> Trailer {
        let kind = unsafe kinds.load(fromByteOffset: index &* kindStride, as: UInt8.self)
        return Trailer(sequence(index), EntryKind(rawValue: kind))
    }

    @inline(__always)
    func expiry(_ index: Int) -> Int64 {
        Int64(littleEndian: unsafe expiries.loadUnaligned(fromByteOffset: index &* expiryStride, as: Int64.self))
    }
}
