import ShaleBase

extension Bytes {
    /// The number of bytes without the zeros at the end. O(zeros), in steps of 64 bytes, so that preallocated space is
    /// scanned at memory speed.
    var countWithoutTrailingZeros: Int {
        var end = count
        while end >= 64 {
            var bits: UInt64 = 0
            for word in 0..<8 { bits |= u64(at: end &- 64 &+ 8 &* word) }
            if bits != 0 { break }
            end &-= 64
        }
        while end >= 8, u64(at: end &- 8) == 0 { end &-= 8 }
        while end > 0, self[end &- 1] == 0 { end &-= 1 }
        return end
    }

    var isAllZero: Bool { countWithoutTrailingZeros == 0 }
}
