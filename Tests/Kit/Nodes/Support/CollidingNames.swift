/// Two names of 10 000 bytes with the same XXH3 hash.
///
/// An attacker makes them as follows:
/// 1. In two stripes, half of a lane equals half of that lane's secret, so that the lane's product is zero.
/// 2. The other half of the lane then only counts in a sum.
/// 3. Exchanging two letters between the two stripes does not change the sum.
let collidingNames: [String] = ["ab", "ba"].map { letters in
    let letters = Array(letters.utf8)
    var bytes = [UInt8](repeating: UInt8(ascii: "n"), count: 10_000)
    // Lane 3 of stripes 0 and 4: words 3 and 7 of the secret, whose upper halves are text with a byte before them.
    bytes[24] = letters[0]
    bytes.replaceSubrange(27..<32, with: [0xe0, 0xb7, 0xb3, 0x67, 0x1f])
    bytes[280] = letters[1]
    bytes.replaceSubrange(283..<288, with: [0xc2, 0x81, 0x3a, 0x26, 0x4c])
    return String(decoding: bytes, as: UTF8.self)
}
