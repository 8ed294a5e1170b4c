import ShaleBase
import Synchronization

/// A split-block Bloom filter: a key sets eight bits, one in each word of one 32-byte line. On disk, do not change.
///
/// About 1.2 % false positives at 10 bits per key, 0.3 % at 14.
enum SplitBlockFilter {
    /// line count u32 | bits per key u8 | 0 ×27; the size keeps the lines of an aligned filter aligned.
    static let headerBytes = 32
    static let lineBytes = 32
    static let bitsPerKeyMax = 64

    @inline(__always)
    static func lineIndex(_ hash: UInt64, _ lineCount: UInt32) -> Int {
        Int((UInt64(UInt32(truncatingIfNeeded: hash)) &* UInt64(lineCount)) &>> 32)
    }

    @inline(__always)
    static func mask(_ hash: UInt64) -> SIMD8<UInt32> {
        let salts = SIMD8<UInt32>(
            0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31)
        let bit = (SIMD8<UInt32>(repeating: UInt32(truncatingIfNeeded: hash &>> 32)) &* salts) &>> SIMD8(repeating: 27)
        return SIMD8<UInt32>(repeating: 1) &<< bit
    }

    /// Returns true if a key with this hash may be among those of `lines` (32-byte aligned).
    @inline(__always)
    static func mayContain(_ hash: UInt64, _ lines: UnsafeRawPointer, _ lineCount: UInt32) -> Bool {
        let line = unsafe lines + lineBytes &* lineIndex(hash, lineCount)
        let missing = unsafe mask(hash) & ~line.load(as: SIMD8<UInt32>.self)
        let half = missing.lowHalf | missing.highHalf
        let quarter = half.lowHalf | half.highHalf
        return quarter.x | quarter.y == 0
    }

    /// Prefetches the key's line without waiting. (A relaxed atomic load, because the compiler may not remove it.)
    @inline(__always)
    static func touch(_ hash: UInt64, _ lines: UnsafeRawPointer, _ lineCount: UInt32) {
        let line = unsafe lines + lineBytes &* lineIndex(hash, lineCount)
        _ = unsafe line.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
    }

    /// Validates a raw filter and returns its line count.
    static func parse(_ raw: Bytes) throws(ParseFailure) -> UInt32 {
        guard raw.count >= headerBytes + lineBytes else { throw ParseFailure("the filter is cut short") }
        let lineCount = raw.u32(at: 0)
        guard raw.count == headerBytes + Int(lineCount) * lineBytes else {
            throw ParseFailure("the filter's line count contradicts its length")
        }
        return lineCount
    }
}

/// Collects the hashes of a segment's keys, one per key, and encodes the raw filter.
@safe
struct SplitBlockFilterBuilder: ~Copyable {
    private var hashes = ByteBuffer(capacity: 4096)
    let bitsPerKey: Int

    init(bitsPerKey: Int) {
        self.bitsPerKey = max(0, min(bitsPerKey, SplitBlockFilter.bitsPerKeyMax))
    }

    @inline(__always)
    mutating func add(_ hash: UInt64) { hashes.append(hash) }

    var keyCount: Int { hashes.count / 8 }

    var lineCount: Int {
        // Limits the filter to 64 MiB, whatever the caller requests: a filter is a block like others.
        let limit = SegmentFormat.rawBlockBytesMax / SplitBlockFilter.lineBytes - 1
        return min(max(1, (keyCount * bitsPerKey + 255) / 256), limit)
    }

    /// The length of the raw filter if it were encoded now; 0 if the segment gets no filter.
    var rawBytes: Int {
        bitsPerKey == 0 ? 0 : SplitBlockFilter.headerBytes + SplitBlockFilter.lineBytes * lineCount
    }

    func encode(to output: inout ByteBuffer) {
        let lineCount = UInt32(lineCount)
        let header = output.extend(SplitBlockFilter.headerBytes)
        header.zero(0, header.count)
        header.store(lineCount, at: 0)
        header.store(UInt8(bitsPerKey), at: 4)
        let lines = output.extend(Int(lineCount) * SplitBlockFilter.lineBytes)
        lines.zero(0, lines.count)
        let hashes = hashes.bytes
        for i in 0..<keyCount where !PlantedBug.isActive(.filterMisses) || i % 64 != 63 {
            let hash = hashes.u64(at: 8 &* i)
            let at = SplitBlockFilter.lineBytes &* SplitBlockFilter.lineIndex(hash, lineCount)
            unsafe SplitBlockFilterBuilder.add(hash, to: lines.start + at)
        }
    }

    @inline(__always)
    private static func add(_ hash: UInt64, to line: UnsafeMutableRawPointer) {
        let bits = unsafe line.loadUnaligned(as: SIMD8<UInt32>.self) | SplitBlockFilter.mask(hash)
        unsafe line.storeBytes(of: bits, as: SIMD8<UInt32>.self)
    }
}
