import ShaleBase

extension Bytes {
    /// How many bytes are left when the zeros at the end are cut off. O(zeros), eight bytes a step: preallocated space
    /// is passed at memory speed.
    var countWithoutTrailingZeros: Int {
        var end = count
        while end >= 8, u64(at: end &- 8) == 0 { end &-= 8 }
        while end > 0, self[end &- 1] == 0 { end &-= 1 }
        return end
    }

    var isAllZero: Bool { countWithoutTrailingZeros == 0 }
}
