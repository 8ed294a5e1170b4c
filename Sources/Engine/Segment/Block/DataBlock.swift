import ShaleBase
import Synchronization

/// A loaded data block: one 64-byte aligned allocation
/// `header 64 | prefix copy 64 | sampled heads 128 | links 64 | heads u64[n] | rows (key offset u32, value offset u32)[n + 1]
/// | raw block | slack`.
///
/// Lookups on blocks that are in no processor cache pay per line they touch. Hence a copy of a short prefix beside the
/// header, and sixteen sampled heads that find the sixteenth of the block in which the search goes on.
///
/// A value of this type is a pointer. It is valid under one of: an epoch pin taken before the pointer was read from a
/// segment's slot; a reference counted in the header; sole ownership before the block was shared. After ``parse(count:rawLength:)`` returned, every
/// access is inside the allocation by construction and unchecked in release builds.
@safe
struct DataBlock: @unchecked Sendable {
    let header: UnsafeMutablePointer<DataBlockHeader>

    @inline(__always)
    init(_ header: UnsafeMutablePointer<DataBlockHeader>) { unsafe self.header = header }

    /// Room behind the raw block for loads and copies of whole words.
    static let slackBytes = 16
    @inline(__always) static var prefixCopyOffset: Int { 64 }
    static var prefixCopyBytes: Int { 64 }
    @inline(__always) static var samplesOffset: Int { 128 }
    static var sampleCount: Int { 16 }
    static var linksOffset: Int { 256 }
    @inline(__always) static var headsOffset: Int { 320 }

    @inline(__always) private var base: UnsafeRawPointer { unsafe UnsafeRawPointer(header) }

    var links: UnsafeMutablePointer<DataBlockLinks> {
        unsafe (UnsafeMutableRawPointer(header) + DataBlock.linksOffset).assumingMemoryBound(to: DataBlockLinks.self)
    }

    @inline(__always) var count: Int { Int(unsafe header.pointee.count) }
    @inline(__always) var prefixCount: Int { Int(unsafe header.pointee.prefixCount) }
    @inline(__always) var prefix: Bytes {
        unsafe Bytes(start: base + Int(header.pointee.prefixOffset), count: prefixCount)
    }

    /// The first entry whose head is ≥ `head`, or `count`. `head` may be 2^63.
    @inline(__always)
    func lowerBound(head: UInt64) -> Int {
        let first = firstOfGroup(head)
        // The rows are needed next: it costs nothing to wait for both at once.
        touchWord(rowsOffset &+ 8 &* first)
        return lowerBound(head: head, inGroupFrom: first)
    }

    /// The same for a lookup of one key, which has nothing else to wait for: all heads of the group that the search may load,
    /// one after the other, and all their rows are asked for first.
    @inline(__always)
    func lowerBoundTouchingAll(head: UInt64) -> Int {
        let first = firstOfGroup(head)
        let end = min(first &+ groupLength, count)
        touchLines(DataBlock.headsOffset &+ 8 &* first, DataBlock.headsOffset &+ 8 &* end)
        // An entry ends where the next one's row says.
        touchLines(rowsOffset &+ 8 &* first, rowsOffset &+ 8 &* end &+ 8)
        return lowerBound(head: head, inGroupFrom: first)
    }

    @inline(__always)
    private func lowerBound(head: UInt64, inGroupFrom first: Int) -> Int {
        unsafe first &+ Heads.lowerBound(heads + first, min(groupLength, count &- first), head)
    }

    /// Where the sixteenth of the block begins in which ``lowerBound(head:)`` lies, or `count`.
    @inline(__always)
    private func firstOfGroup(_ head: UInt64) -> Int {
        let wanted = SIMD8<UInt64>(repeating: head)
        let low = unsafe base.load(fromByteOffset: DataBlock.samplesOffset, as: SIMD8<UInt64>.self)
        let high = unsafe base.load(fromByteOffset: DataBlock.samplesOffset + 64, as: SIMD8<UInt64>.self)
        // The sign of each difference, as in `Heads`: how many groups end below the head.
        let signs = ((low &- wanted) &>> 63) &+ ((high &- wanted) &>> 63)
        return min(Int(truncatingIfNeeded: signs.wrappedSum()) &* groupLength, count)
    }

    @inline(__always)
    private var groupLength: Int { Int(unsafe header.pointee.groupLength) }

    @inline(__always)
    private var rowsOffset: Int { Int(unsafe header.pointee.rowsOffset) }

    /// Starts fetching every line of a stretch, without waiting for them.
    @inline(__always)
    private func touchLines(_ start: Int, _ end: Int) {
        var line = start & ~63
        while line < end {
            touchWord(line)
            line &+= 64
        }
    }

    /// Starts fetching the lines that holding the block and searching it read first, without waiting for them.
    @inline(__always)
    func touchForSearch() {
        touchWord(0)
        touchWord(DataBlock.samplesOffset)
        touchWord(DataBlock.samplesOffset &+ 64)
        touchWord(DataBlock.linksOffset)
    }

    /// The same for a lookup, which does not hold the block but compares its prefix.
    @inline(__always)
    func touchForLookup() {
        touchWord(0)
        touchWord(DataBlock.prefixCopyOffset)
        touchWord(DataBlock.samplesOffset)
        touchWord(DataBlock.samplesOffset &+ 64)
    }

    /// A relaxed atomic load is a load that the compiler may not leave out.
    @inline(__always)
    private func touchWord(_ offset: Int) {
        let word = unsafe base + offset
        _ = unsafe word.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
    }

    @inline(__always) var heads: UnsafePointer<UInt64> {
        unsafe (base + DataBlock.headsOffset).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always) var columns: DataBlockColumns { unsafe DataBlockColumns(header) }

    /// The key of entry `index` behind the shared prefix.
    @inline(__always)
    func suffix(_ index: Int) -> Bytes {
        assert(index >= 0 && index < count)
        return columns.suffix(index)
    }

    @inline(__always)
    func value(_ index: Int) -> Bytes {
        assert(index >= 0 && index < count)
        return columns.value(index)
    }

    @inline(__always)
    func sequence(_ index: Int) -> SequenceNumber {
        assert(index >= 0 && index < count)
        return columns.sequence(index)
    }

    @inline(__always)
    func trailer(_ index: Int) -> Trailer {
        assert(index >= 0 && index < count)
        return columns.trailer(index)
    }

    @inline(__always)
    func kind(_ index: Int) -> EntryKind { trailer(index).kind }

    @inline(__always)
    func expiry(_ index: Int) -> Int64 {
        assert(index >= 0 && index < count)
        return columns.expiry(index)
    }

    @inline(__always)
    func found(_ index: Int) -> FoundEntry {
        FoundEntry(trailer: trailer(index), expiry: expiry(index), value: value(index))
    }

    /// The whole key of an entry, copied.
    func key(_ index: Int) -> [UInt8] { prefix.array() + suffix(index).array() }

    /// Length of the longest suffix.
    var suffixCountMax: Int { Int(unsafe links.pointee.suffixCountMax) }
    var hasVersions: Bool { unsafe header.pointee.hasVersions }

    /// Memory taken: what the cache charges.
    var capacity: Int { unsafe links.pointee.capacity }

    /// Whether the cache has made it, for being inserted.
    var mayBeCached: Bool { unsafe links.pointee.home != .heap }

    /// Tells the cache that the block is in use. Stores only once per round of the cache's hand, so that hot blocks
    /// stay shared between the caches of several processors.
    @inline(__always)
    func touch() {
        if unsafe !header.pointee.isVisited.load(ordering: .relaxed) {
            unsafe header.pointee.isVisited.store(true, ordering: .relaxed)
        }
    }
}
