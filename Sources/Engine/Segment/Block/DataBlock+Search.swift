import ShaleBase

extension DataBlock {
    /// Returns the first entry with key ≥ `key`, or `count`.
    @inline(__always)
    func lowerBound(_ key: Bytes) -> Int {
        let prefix = prefix
        guard key.starts(with: prefix) else { return Bytes.compare(key, prefix) <= 0 ? 0 : count }
        return lowerBound(suffix: key.suffix(from: prefix.count), head: key.head(at: prefix.count))
    }

    @inline(__always)
    private func lowerBound(suffix key: Bytes, head: UInt64) -> Int {
        lowerBound(suffix: key, head: head, from: lowerBound(head: head))
    }

    /// Searches from `low`, the first entry with a head ≥ `head`.
    @inline(__always)
    private func lowerBound(suffix key: Bytes, head: UInt64, from low: Int) -> Int {
        // The head decides, unless it occurs more than once or belongs to a longer key.
        if unsafe low == count || heads[low] != head { return low }
        if PlantedBug.isActive(.ignoreHeadTies) || Bytes.compare(suffix(low), key) >= 0 { return low }
        return lowerBoundAmongEquals(key, head, after: low)
    }

    /// Returns the first entry after `low` with a suffix ≥ `key`. All candidates share `head`.
    @inline(never)
    private func lowerBoundAmongEquals(_ key: Bytes, _ head: UInt64, after low: Int) -> Int {
        var low = low &+ 1
        var high = lowerBound(head: head &+ 1)
        while low < high {
            let middle = (low &+ high) &>> 1
            if Bytes.compare(suffix(middle), key) < 0 { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    enum Lookup {
        case found(Int)
        case absent
        /// Every version of the key in this block is newer than the limit, and the versions reach the end of the block.
        case undecided
    }

    /// Finds the newest version of `key` with sequence ≤ `limit`.
    @inline(__always)
    func find(_ key: Bytes, through limit: SequenceNumber) -> Lookup {
        let prefix = prefix
        guard key.starts(with: prefix) else { return .absent }
        let wanted = key.suffix(from: prefix.count)
        let head = key.head(at: prefix.count)
        var index = lowerBound(suffix: wanted, head: head, from: lowerBoundTouchingAll(head: head))
        // Prefetches what the caller reads of the entry, in parallel with the key comparison below.
        if index < count { columns.touch(index) }
        // Skips newer versions without comparing their keys. If that runs into another key's entries, the comparison
        // below fails.
        while index < count, sequence(index) > limit { index &+= 1 }
        if index == count { return .undecided }
        return suffix(index) == wanted ? .found(index) : .absent
    }
}

/// Searches in arrays of 63-bit key heads (`Bytes.head(at:)`).
enum KeyHeads {
    /// Returns the head of a key of `count` bytes. `word` holds its first eight bytes (big-endian); after a shorter
    /// key, the rest of `word` is arbitrary.
    @inline(__always)
    static func cut(_ word: UInt64, to count: Int) -> UInt64 {
        if count >= 8 { return word &>> 1 }
        return (word & ~(UInt64.max &>> UInt64(truncatingIfNeeded: 8 &* count))) &>> 1
    }

    /// Returns the first index with a head ≥ `head`, or `count`. `head` may be 2^63, one above every head.
    ///
    /// The loop has no branch on the data: heads use 63 bits, so the sign of a difference is the comparison. A mask
    /// made of the sign moves the lower end.
    @inline(__always)
    static func lowerBound(_ heads: UnsafePointer<UInt64>, _ count: Int, _ head: UInt64) -> Int {
        if count == 0 { return 0 }
        var low = 0
        var length = count
        while length > 1 {
            let half = length &>> 1
            let difference = unsafe heads[low &+ half &- 1] &- head
            low &+= half & Int(truncatingIfNeeded: Int64(bitPattern: difference) &>> 63)
            length &-= half
        }
        let last = unsafe Int64(bitPattern: heads[low] &- head) &>> 63
        return low &- Int(truncatingIfNeeded: last)
    }
}
