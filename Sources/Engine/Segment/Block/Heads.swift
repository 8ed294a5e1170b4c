import ShaleBase

/// Searches in arrays of 63-bit key heads (`Bytes.head(at:)`).
enum Heads {
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
