/// The alphabets and limits of a value code. On disk, do not change: ShaleEngine.docc, "Value codes".
enum ValueCodeFormat {
    /// Literals 0 to 255, then the lengths of matches, then the escape. The code's pairs follow.
    static let itemCount = 285
    static let firstLength = 256
    static let lengthCount = 28
    /// The item before a literal without a code of its own; eight bits follow.
    static let escape = 284
    static let escapeBits = 8
    static let itemBitsMax = 11

    static let distanceCount = 34
    static let distanceBitsMax = 10

    static let lengthMin = 3
    static let lengthMax = 258
    /// The longest dictionary in bytes.
    static let dictionaryBytesMax = 65_535
    /// The longest value in bytes. Distances reach over the longest value and the longest dictionary.
    static let valueBytesMax = 65_535

    /// The most pairs of length and distance that have an item of their own.
    static let pairsMax = 8
    static let distanceMax = dictionaryBytesMax + valueBytesMax
    /// Set in the dictionary length if a code has pairs.
    static let hasPairs: UInt32 = 1 << 31
    /// Set in the dictionary length of a plain code, which has nothing but its dictionary.
    static let isPlain: UInt32 = 1 << 30

    /// Dictionary length u32, then a half byte for each code length. Of a code without pairs.
    static let headerBytes = 4 + (itemCount + 1) / 2 + distanceCount / 2

    /// Returns the smallest length that `symbol` of the lengths (0 ..< ``lengthCount``) stands for, and the number of
    /// bits that are added to it.
    static func length(_ symbol: Int) -> (base: Int, extraBits: Int) {
        if symbol < 8 { return (lengthMin + symbol, 0) }
        let extraBits = symbol / 4 - 1
        return (lengthMin + (4 + symbol % 4) << extraBits, extraBits)
    }

    /// Returns the symbol of a length.
    @inline(__always)
    static func lengthSymbol(_ length: Int) -> Int {
        let rest = length &- lengthMin
        if rest < 8 { return rest }
        // The first bit selects the group of four, the next two select the symbol in the group.
        let extraBits = 61 &- rest.leadingZeroBitCount
        return 4 &* extraBits &+ rest &>> extraBits
    }

    /// Returns the smallest distance that a symbol stands for, and the number of bits that are added to it.
    static func distance(_ symbol: Int) -> (base: Int, extraBits: Int) {
        if symbol < 4 { return (1 + symbol, 0) }
        let extraBits = symbol / 2 - 1
        return (1 + (2 + symbol % 2) << extraBits, extraBits)
    }

    /// Returns the symbol of a distance.
    @inline(__always)
    static func distanceSymbol(_ distance: Int) -> Int {
        let rest = distance &- 1
        if rest < 4 { return rest }
        let extraBits = 62 &- rest.leadingZeroBitCount
        return 2 &* extraBits &+ rest &>> extraBits
    }
}
