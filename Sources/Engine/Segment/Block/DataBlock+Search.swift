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
