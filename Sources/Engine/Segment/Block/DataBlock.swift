import ShaleBase
import Synchronization

/// A loaded data block: one 64-byte aligned allocation.
///
/// ```
/// header 64 | prefix copy 64 | sampled heads 128 | links 64 | heads u64[n]
/// | rows (key offset u32, value offset u32)[n + 1] | raw block | slack
/// ```
///
/// A lookup in a block that is in no processor cache pays for each cache line that it touches. A copy of a short prefix
/// therefore stands beside the header, and sixteen sampled heads select the sixteenth of the block to search.
///
/// A value of this type is a pointer. It is valid under one of: an epoch pin taken before the pointer was read from a
/// segment's slot; a reference counted in the header; sole ownership before the block was shared. After
/// ``parse(count:rawLength:)`` has returned, every access is inside the allocation by construction, and is unchecked in
/// release builds.
@safe
struct DataBlock: @unchecked Sendable {
    let header: UnsafeMutablePointer<DataBlockHeader>

    @inline(__always)
    init(_ header: UnsafeMutablePointer<DataBlockHeader>) { unsafe self.header = header }

    /// Padding after the raw block for loads and copies of whole words.
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

    /// Returns the first entry with a head ≥ `head`, or `count`. `head` may be 2^63.
    @inline(__always)
    func lowerBound(head: UInt64) -> Int {
        let first = firstOfGroup(head)
        // The rows are needed next; waiting for both loads at once costs nothing extra.
        touchWord(rowsOffset &+ 8 &* first)
        return lowerBound(head: head, inGroupFrom: first)
    }

    /// Searches like ``lowerBound(head:)``, for a lookup of one key, which has nothing else to wait for. First
    /// prefetches all heads of the group that the search may load, and all their rows.
    @inline(__always)
    func lowerBoundTouchingAll(head: UInt64) -> Int {
        let first = firstOfGroup(head)
        let end = min(first &+ groupLength, count)
        touchLines(DataBlock.headsOffset &+ 8 &* first, DataBlock.headsOffset &+ 8 &* end)
        // The next entry's row holds the end of an entry.
        touchLines(rowsOffset &+ 8 &* first, rowsOffset &+ 8 &* end &+ 8)
        return lowerBound(head: head, inGroupFrom: first)
    }

    @inline(__always)
    private func lowerBound(head: UInt64, inGroupFrom first: Int) -> Int {
        unsafe first &+ KeyHeads.lowerBound(heads + first, min(groupLength, count &- first), head)
    }

    /// Returns the first entry of the sixteenth that contains the result of ``lowerBound(head:)``, or `count`.
    @inline(__always)
    private func firstOfGroup(_ head: UInt64) -> Int {
        let wanted = SIMD8<UInt64>(repeating: head)
        let low = unsafe base.load(fromByteOffset: DataBlock.samplesOffset, as: SIMD8<UInt64>.self)
        let high = unsafe base.load(fromByteOffset: DataBlock.samplesOffset + 64, as: SIMD8<UInt64>.self)
        // The sign of each difference, as in `KeyHeads`, counts the groups that end below the head.
        let signs = ((low &- wanted) &>> 63) &+ ((high &- wanted) &>> 63)
        return min(Int(truncatingIfNeeded: signs.wrappedSum()) &* groupLength, count)
    }

    @inline(__always)
    private var groupLength: Int { Int(unsafe header.pointee.groupLength) }

    @inline(__always)
    private var rowsOffset: Int { Int(unsafe header.pointee.rowsOffset) }

    /// Prefetches every cache line of a range without waiting.
    @inline(__always)
    private func touchLines(_ start: Int, _ end: Int) {
        var line = start & ~63
        while line < end {
            touchWord(line)
            line &+= 64
        }
    }

    /// Prefetches the cache lines that a retain and a search read first, without waiting.
    @inline(__always)
    func touchForSearch() {
        touchWord(0)
        touchWord(DataBlock.samplesOffset)
        touchWord(DataBlock.samplesOffset &+ 64)
        touchWord(DataBlock.linksOffset)
    }

    /// Prefetches the cache lines of a lookup, which compares the prefix but does not retain the block.
    @inline(__always)
    func touchForLookup() {
        touchWord(0)
        touchWord(DataBlock.prefixCopyOffset)
        touchWord(DataBlock.samplesOffset)
        touchWord(DataBlock.samplesOffset &+ 64)
    }

    /// Loads a word with a relaxed atomic load, which the compiler may not remove.
    @inline(__always)
    private func touchWord(_ offset: Int) {
        let word = unsafe base + offset
        _ = unsafe word.assumingMemoryBound(to: Atomic<UInt32>.self).pointee.load(ordering: .relaxed)
    }

    @inline(__always) var heads: UnsafePointer<UInt64> {
        unsafe (base + DataBlock.headsOffset).assumingMemoryBound(to: UInt64.self)
    }

    @inline(__always) var columns: DataBlockColumns { unsafe DataBlockColumns(header) }

    /// Returns the part of entry `index`'s key that follows the shared prefix.
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

    /// Returns a copy of the whole key of an entry.
    func key(_ index: Int) -> [UInt8] { prefix.array() + suffix(index).array() }

    /// The length of the longest suffix.
    var suffixCountMax: Int { Int(unsafe links.pointee.suffixCountMax) }
    var hasVersions: Bool { unsafe header.pointee.hasVersions }

    /// The size of the allocation in bytes, which the cache charges.
    var capacity: Int { unsafe links.pointee.capacity }

    /// True if the cache allocated the block, so that it may be inserted.
    var mayBeCached: Bool { unsafe links.pointee.home != .heap }

    /// Marks the block as used. Stores only once per round of the cache's hand, so that hot blocks stay shared between
    /// processors' caches.
    @inline(__always)
    func touch() {
        if unsafe !header.pointee.isVisited.load(ordering: .relaxed) {
            unsafe header.pointee.isVisited.store(true, ordering: .relaxed)
        }
    }
}
