extension Node {
    /// Returns the byte offset of the slot for children under `byte`; 0 if there is none. A Node256 always has one,
    /// which may be empty. O(1).
    @inline(__always)
    func slotOffset(_ byte: UInt8) -> Int {
        let kind = kind
        if kind == Kind.node256 { return Node.slots256 &+ 4 &* Int(byte) }
        if kind == Kind.node16 { return slotOffset16(byte) }
        if kind == Kind.node4 { return slotOffset4(byte) }
        let index = index48(byte)
        return index == 0 ? 0 : Node.slots48 &- 4 &+ 4 &* index
    }

    @inline(__always)
    func child(_ byte: UInt8) -> NodeReference {
        let offset = slotOffset(byte)
        return offset == 0 ? .none : slot(offset)
    }

    @inline(__always)
    func index48(_ byte: UInt8) -> Int {
        let word = keyWord(Int(byte &>> 3))
        return Int(UInt8(truncatingIfNeeded: word &>> UInt64(8 &* (byte & 7))))
    }

    // A zero byte of word ^ pattern is found by borrow: (x − 0x01…) & ~x & 0x80…. Its lowest set bit is exact; higher
    // bits may be false. Unused key bytes are zero and follow the used ones, so a match at or after the count is no
    // match.

    @inline(__always)
    private func slotOffset4(_ byte: UInt8) -> Int {
        let count = childCount
        let x = keyWord4 ^ (0x0101_0101 &* UInt32(byte))
        let zeros = (x &- 0x0101_0101) & ~x & 0x8080_8080
        let index = zeros.trailingZeroBitCount &>> 3
        return index < count ? Node.slots4 &+ 4 &* index : 0
    }

    @inline(__always)
    private func slotOffset16(_ byte: UInt8) -> Int {
        let count = childCount
        let pattern = 0x0101_0101_0101_0101 &* UInt64(byte)
        let index: Int
        let low = Node.zeroBytes(keyWord(0) ^ pattern)
        let high = Node.zeroBytes(keyWord(1) ^ pattern)
        if low != 0 {
            index = low.trailingZeroBitCount &>> 3
        } else {
            index = 8 &+ high.trailingZeroBitCount &>> 3
        }
        return index < count ? Node.slots16 &+ 4 &* index : 0
    }

    @inline(__always)
    private static func zeroBytes(_ x: UInt64) -> UInt64 {
        (x &- 0x0101_0101_0101_0101) & ~x & 0x8080_8080_8080_8080
    }

    /// Returns the byte of child `index` in a Node4 or Node16.
    @inline(__always)
    func smallKeyByte(_ index: Int) -> UInt8 {
        kind == Kind.node4
            ? UInt8(truncatingIfNeeded: keyWord4 &>> UInt32(8 &* index))
            : UInt8(truncatingIfNeeded: keyWord(index &>> 3) &>> UInt64(8 &* (index & 7)))
    }

    /// Returns the slot of child `index` in a Node4 or Node16.
    @inline(__always)
    func smallSlot(_ index: Int) -> NodeReference {
        slot((kind == Kind.node4 ? Node.slots4 : Node.slots16) &+ 4 &* index)
    }

    /// Returns the child under `byte` in a Node48 or Node256.
    @inline(__always)
    func largeChild(_ byte: Int) -> NodeReference { child(UInt8(truncatingIfNeeded: byte)) }

    var isSmall: Bool { kind <= Kind.node16 }
}
