import ShaleBase

/// Puts the keys of adjacent entries of a split block together, a run at a time. Reuses its memory.
///
/// Suffixes in groups are walked through one by one, from the start of a group, or on from where the last run ended.
/// So a run costs its own entries, and at most 15 before them. Each key that is walked over is compared with the one
/// before: a run that is out of order is damage, as it is when a whole block is loaded.
@safe
struct KeyPartWalk: ~Copyable {
    /// The keys of the run, one after the other, with slack after the last; and, unless all have one length, the end
    /// u32 of each.
    private var keys = ByteBuffer()
    private var ends = ByteBuffer()
    /// The length of every key of the run; −1 if they differ.
    private var fixedCount = -1
    // In groups: the entry that comes next, the offset of its item, and the suffix of the entry before it.
    private var next = 0
    private var offset = 0
    private var suffix = ByteBuffer()
    /// False if ``suffix`` belongs to no entry.
    private var hasSuffix = false
    /// The first entry of the run; `nil` if there is none.
    private var runStart: Int?
    /// The first key of the run before, if this run ends where that one begins.
    private var edge = ByteBuffer()

    /// The held memory in bytes.
    var capacity: Int { keys.capacity + ends.capacity + suffix.capacity + edge.capacity }

    /// Begins another block.
    mutating func restart() {
        hasSuffix = false
        runStart = nil
    }

    /// Returns a key of the run; the first one is 0. Valid until the next ``fill(_:of:)``.
    @inline(__always)
    func key(_ index: Int) -> Bytes {
        if fixedCount >= 0 { return keys.bytes.slice(index &* fixedCount, fixedCount) }
        let start = index == 0 ? 0 : Int(ends.bytes.u32(at: 4 &* index &- 4))
        return keys.bytes.slice(start, Int(ends.bytes.u32(at: 4 &* index)) &- start)
    }

    /// Replaces the run by the keys of `entries`.
    mutating func fill(_ entries: Range<Int>, of part: KeyPart) throws(ParseFailure) {
        assert(!entries.isEmpty && entries.upperBound <= part.count)
        // A group is not compared with the one before, unless the walk comes from there.
        let isBackward = part.keyLengthWidth > 0 && runStart == entries.upperBound
        edge.removeAll()
        if isBackward { edge.append(key(0)) }
        runStart = nil
        keys.removeAll()
        ends.removeAll()
        fixedCount = -1
        if part.keyLengthWidth == 0 {
            try fillFixed(entries, part)
        } else {
            try fillFromGroups(entries, part)
        }
        if isBackward {
            try KeyPartWalk.check(Bytes.compare(key(entries.count - 1), edge.bytes), entries.upperBound, part)
        }
        runStart = entries.lowerBound
    }

    private mutating func fillFixed(_ entries: Range<Int>, _ part: KeyPart) throws(ParseFailure) {
        let prefix = part.prefix
        let first = entries.lowerBound
        var previous = first > 0 ? part.fixedSuffix(first &- 1) : .empty
        var previousHead = KeyScratch.head(previous, 0)
        fixedCount = prefix.count &+ part.fixedSuffix(first).count
        keys.reserve(entries.count &* fixedCount &+ DataBlock.slackBytes)
        var slot = unsafe keys.extend(entries.count &* fixedCount).start
        for index in entries {
            let suffix = part.fixedSuffix(index)
            let head = KeyScratch.head(suffix, 0)
            // Heads in order are keys in order.
            if previousHead >= head, index > 0 {
                try KeyPartWalk.check(Bytes.compare(previous, suffix), index, part)
            }
            // Each copy may write into the slot of the next key, which is filled later.
            unsafe KeyScratch.copy(prefix, to: slot)
            unsafe KeyScratch.copy(suffix, to: slot + prefix.count)
            unsafe slot += fixedCount
            (previous, previousHead) = (suffix, head)
        }
    }

    private mutating func fillFromGroups(_ entries: Range<Int>, _ part: KeyPart) throws(ParseFailure) {
        let groups = try part.groups()
        let first = entries.lowerBound
        if !hasSuffix || next != first {
            next = first - first % SplitBlockFormat.groupLength
            hasSuffix = false
            suffix.removeAll()
        }
        let prefix = part.prefix
        while next < entries.upperBound {
            try step(groups, part)
            if next > first { append(prefix, suffix.bytes) }
        }
    }

    /// Walks over the next entry.
    @inline(__always)
    private mutating func step(_ groups: SuffixGroups, _ part: KeyPart) throws(ParseFailure) {
        let isFirst = next % SplitBlockFormat.groupLength == 0
        let item =
            try isFirst ? groups.first(ofGroup: next / SplitBlockFormat.groupLength) : groups.item(at: offset)
        let limit = SegmentFormat.encodedKeyBytesMax &- part.fields.prefixCount
        guard item.shared <= suffix.count, item.shared &+ item.rest.count <= limit else {
            throw ParseFailure("a key part's keys don't fit its block")
        }
        if hasSuffix {
            try KeyPartWalk.check(Bytes.compare(suffix.bytes.suffix(from: item.shared), item.rest), next, part)
        }
        suffix.count = item.shared
        suffix.append(item.rest)
        hasSuffix = true
        offset = item.end
        next &+= 1
    }

    /// Throws unless entry `index` may follow the one before, whose key compares with its own as `order`.
    @inline(__always)
    private static func check(_ order: Int, _ index: Int, _ part: KeyPart) throws(ParseFailure) {
        if order >= 0 { try checkVersion(order, index, part) }
    }

    @inline(never)
    private static func checkVersion(_ order: Int, _ index: Int, _ part: KeyPart) throws(ParseFailure) {
        guard order == 0 else { throw ParseFailure("a data block's keys are out of order") }
        guard part.fields.flags & DataBlockFormat.hasVersions != 0 else {
            throw ParseFailure("a data block's version flag is wrong")
        }
        let (newer, older) = (try part.trailer(index - 1).trailer, try part.trailer(index).trailer)
        guard newer.rawValue > older.rawValue else { throw ParseFailure("a data block's versions are out of order") }
    }

    /// Appends a key. Both pieces have slack after them, as pieces of a key part and of ``suffix`` do.
    @inline(__always)
    private mutating func append(_ prefix: Bytes, _ suffix: Bytes) {
        keys.reserve(prefix.count &+ suffix.count &+ DataBlock.slackBytes)
        let target = keys.extend(prefix.count &+ suffix.count)
        unsafe KeyScratch.copy(prefix, to: target.start)
        unsafe KeyScratch.copy(suffix, to: target.start + prefix.count)
        ends.append(UInt32(truncatingIfNeeded: keys.count))
    }

    /// Releases memory that long keys have taken.
    mutating func releaseBuffers() {
        restart()
        if capacity > KeyPartWalk.keptBytes {
            keys = ByteBuffer()
            suffix = ByteBuffer()
            edge = ByteBuffer()
        }
    }

    private static let keptBytes = 8 << 10
}
