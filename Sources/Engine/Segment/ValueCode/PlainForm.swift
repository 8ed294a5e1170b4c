/// The plain form of values: whole bytes that are copied, and no prefix codes. On disk, do not change:
/// ShaleEngine.docc, "Value codes".
///
/// A value is a sequence of steps, each of some literals and then at most one match:
/// ```
/// token | literals − 15 u7, packed u1 | length − 18 u8 | distance u16 | literals
/// ```
/// The lower half of the token is 0 without a match, 1 to 14 for a match of 4 to 17 bytes, and 15 if the length
/// follows. The upper half is the number of literals, or 15 if it follows. The distance is absent without a match.
enum PlainForm {
    /// The number of bits of each half of a token, and the value of a half that is continued.
    static let halfBits = 4
    static let continued = 15

    /// The length of a match is the token's half and this number, or the byte that follows and the other one.
    static let lengthBase = 3
    static let longLengthBase = 18
    static let distanceMax = 65_535

    /// The number of literals that is added to the seven bits that follow the token, and the largest sum.
    static let runBase = 15
    static let runMax = runBase + 127
    /// The length at which a writer cuts longer runs, a multiple of eight.
    static let runCut = 136
    /// Set in the byte of the number of literals if they are packed.
    static let isPacked: UInt8 = 0x80

    // MARK: Packed literals

    /// The number of literals that are packed into seven bytes.
    static let groupLength = 8
    private static let lowBits: UInt64 = 0x007f_7f7f_7f7f_7f7f
    private static let highBits: UInt64 = 0x0080_8080_8080_8080

    /// Returns the size of packed literals.
    @inline(__always)
    static func packedCount(_ count: Int) -> Int { count &- count &>> 3 }

    /// Returns seven bytes for eight literals below 128: the first seven, with the bits of the last one as their
    /// highest bits.
    @inline(__always)
    static func packed(_ literals: UInt64) -> UInt64 {
        // Bit i of the last literal goes to bit 8i + 7. Products of other bits lie elsewhere, each at a place of its
        // own.
        let spread = (literals &>> 56) &* 0x0002_0408_1020_4080
        return literals & lowBits | spread & highBits
    }

    /// Returns the eight literals of the first seven bytes of `word`.
    @inline(__always)
    static func unpacked(_ word: UInt64) -> UInt64 {
        // Bit 8i goes to bit 56 + i. Products of other bits lie below, each at a place of its own, or are cut off.
        let gathered = ((word & highBits) &>> 7) &* 0x0102_0408_1020_4000
        return word & lowBits | gathered & ~(UInt64.max &>> 8)
    }
}
