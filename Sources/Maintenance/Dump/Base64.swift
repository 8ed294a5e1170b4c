import ShaleBase

/// Base64 by RFC 4648, with padding, from and to the engine's buffers.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Two letters for each value of twelve bits. 8 KiB.
    private static let letterPairs: OwnedBytes = {
        let table = OwnedBytes(count: 2 << 12)
        for bits in 0..<1 << 12 {
            let pair = UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8
            table.mutable.store(pair, at: 2 * bits)
        }
        return table
    }()

    /// The contribution of each letter to the three bytes of a group, for each of its four positions: a number of 24
    /// bits with the first byte lowest, or `notALetter`. 4 KiB.
    private static let letterValues: OwnedBytes = {
        let table = OwnedBytes(count: 4 * 4 << 8)
        for index in 0..<4 << 8 { table.mutable.store(notALetter, at: 4 * index) }
        for (number, letter) in alphabet.enumerated() {
            let value = UInt32(number)
            let shifts = [
                value << 2, value >> 4 | (value & 15) << 12, (value >> 2) << 8 | (value & 3) << 22, value << 16,
            ]
            for (position, bits) in shifts.enumerated() {
                table.mutable.store(bits, at: 4 * (position << 8 | Int(letter)))
            }
        }
        return table
    }()

    private static let notALetter: UInt32 = 1 << 31

    static func encode(_ bytes: Bytes, into text: inout ByteBuffer) {
        let pairs = letterPairs.bytes
        let out = text.extend((bytes.count + 2) / 3 * 4)
        var from = 0
        var to = 0
        // Encodes two groups at a time. Each load reads more bytes than are used.
        while from &+ 8 <= bytes.count {
            let word = bytes.u64(at: from).byteSwapped
            let first = letters(UInt32(truncatingIfNeeded: word &>> 32), pairs)
            let second = letters(UInt32(truncatingIfNeeded: word &>> 8), pairs)
            out.store(UInt64(first) | UInt64(second) &<< 32, at: to)
            from &+= 6
            to &+= 8
        }
        while from &+ 4 <= bytes.count {
            out.store(letters(bytes.u32(at: from).byteSwapped, pairs), at: to)
            from &+= 3
            to &+= 4
        }
        guard from < bytes.count else { return }
        let left = bytes.count - from
        var word: UInt32 = 0
        for index in 0..<left { word |= UInt32(bytes[from + index]) << UInt32(24 - 8 * index) }
        out.store(letters(word, pairs), at: to)
        for index in left + 1..<4 { out.store(padding, at: to + index) }
    }

    /// Returns the four letters of the upper 24 bits, the first one lowest.
    @inline(__always)
    private static func letters(_ word: UInt32, _ pairs: Bytes) -> UInt32 {
        let first = pairs.u16(at: Int(word &>> 20) &* 2)
        let second = pairs.u16(at: Int(word &>> 8 & 0xfff) &* 2)
        return UInt32(first) | UInt32(second) &<< 16
    }

    /// Decodes `text`. Returns false, with nothing appended, if ``encode(_:into:)`` produces `text` for no input.
    static func decode(_ text: Bytes, into bytes: inout ByteBuffer) -> Bool {
        guard text.count % 4 == 0 else { return false }
        guard !text.isEmpty else { return true }
        let values = letterValues.bytes
        let before = bytes.count
        let groupsBytes = text.count / 4 * 3
        // Each group has three bytes but stores four.
        let out = bytes.extend(groupsBytes + 1)
        let last = text.count &- 4
        var seen: UInt32 = 0
        var from = 0
        var to = 0
        // Decodes two groups at a time.
        while from &+ 4 < last {
            let first = group(text.u32(at: from), values)
            let second = group(text.u32(at: from &+ 4), values)
            seen |= first | second
            out.store(UInt64(first) | UInt64(second) &<< 24, at: to)
            from &+= 8
            to &+= 6
        }
        while from < last {
            let group = group(text.u32(at: from), values)
            seen |= group
            out.store(group, at: to)
            from &+= 4
            to &+= 3
        }
        let absent = text[last + 3] != padding ? 0 : text[last + 2] != padding ? 1 : 2
        var letters = text.u32(at: last)
        // Missing letters count as zeros.
        for index in 4 - absent..<4 {
            letters = letters & ~(0xff << UInt32(8 * index)) | UInt32(alphabet[0]) << UInt32(8 * index)
        }
        let end = group(letters, values)
        out.store(end, at: to)
        // In a shortened group, the bits beyond its bytes must be zero.
        let isWhole = seen & notALetter == 0 && end >> UInt32(8 * (3 - absent)) == 0
        bytes.count = isWhole ? before + groupsBytes - absent : before
        return isWhole
    }

    @inline(__always)
    private static func group(_ letters: UInt32, _ values: Bytes) -> UInt32 {
        let first = values.u32(at: Int(letters & 0xff) &* 4)
        let second = values.u32(at: Int(0x100 | letters &>> 8 & 0xff) &* 4)
        let third = values.u32(at: Int(0x200 | letters &>> 16 & 0xff) &* 4)
        return first | second | third | values.u32(at: Int(0x300 | letters &>> 24) &* 4)
    }
}
