/// Two names of 10 000 bytes that XXH3 gives one hash, as anybody can make them: in two of its stripes half of a lane is that of its
/// secret, so that their product is zero and the other half only counts in a sum, in which two letters may change places.
let collidingNames: [String] = ["ab", "ba"].map { letters in
    let letters = Array(letters.utf8)
    var bytes = [UInt8](repeating: UInt8(ascii: "n"), count: 10_000)
    // Lane 3 of stripes 0 and 4: the secret's words 3 and 7, whose upper halves are text with a byte before them.
    bytes[24] = letters[0]
    bytes.replaceSubrange(27..<32, with: [0xe0, 0xb7, 0xb3, 0x67, 0x1f])
    bytes[280] = letters[1]
    bytes.replaceSubrange(283..<288, with: [0xc2, 0x81, 0x3a, 0x26, 0x4c])
    return String(decoding: bytes, as: UTF8.self)
}
