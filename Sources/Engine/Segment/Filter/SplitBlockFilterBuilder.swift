import ShaleBase

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
