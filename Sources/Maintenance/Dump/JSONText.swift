import ShaleBase

/// Writes JSON strings and numbers.
enum JSONText {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends `bytes` as a JSON string. Returns false, with nothing appended, if they are not UTF-8.
    static func append(_ bytes: Bytes, to text: inout ByteBuffer) -> Bool {
        let plain = plainCount(bytes, from: 0)
        if plain < bytes.count, !isUTF8(bytes) { return false }
        text.append(UInt8(ascii: "\""))
        var start = 0
        var end = plain
        while true {
            text.append(bytes.slice(start, end - start))
            guard end < bytes.count else { break }
            appendSpecial(bytes[end], to: &text)
            start = end + 1
            end = plainCount(bytes, from: start)
        }
        text.append(UInt8(ascii: "\""))
        return true
    }

    /// Returns the index of the first byte at or after `start` that is not plain. Plain bytes are ASCII from 0x20
    /// on, except the quote and the backslash.
    private static func plainCount(_ bytes: Bytes, from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count, isPlain(word: bytes.u64(at: index)) { index &+= 8 }
        while index < bytes.count, isPlain(bytes[index]) { index &+= 1 }
        return index
    }

    /// Returns true if all eight bytes are plain.
    @inline(__always)
    static func isPlain(word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5c)
        let controls = word &- ones &* 0x20
        // The lowest byte that is not plain sets its top bit in one of the terms. No byte below it borrows from it.
        return (controls | (quotes &- ones) | (slashes &- ones) | word) & tops == 0
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5c
    }

    private static func isUTF8(_ bytes: Bytes) -> Bool {
        unsafe String(validating: bytes.buffer, as: UTF8.self) != nil
    }

    private static func appendSpecial(_ byte: UInt8, to text: inout ByteBuffer) {
        switch byte {
        case 0x80...: text.append(byte)
        case 0x22, 0x5c:
            text.append(UInt8(ascii: "\\"))
            text.append(byte)
        case 0x0a: append("\\n", to: &text)
        case 0x0d: append("\\r", to: &text)
        case 0x09: append("\\t", to: &text)
        default:
            append("\\u00", to: &text)
            text.append(hexDigits[Int(byte >> 4)])
            text.append(hexDigits[Int(byte & 15)])
        }
    }

    static func append(_ literal: StaticString, to text: inout ByteBuffer) {
        unsafe text.append(Bytes(start: UnsafeRawPointer(literal.utf8Start), count: literal.utf8CodeUnitCount))
    }

    /// Appends the digits of a number.
    static func append(_ number: Int64, to text: inout ByteBuffer) {
        var rest = number.magnitude
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var count = 0
        unsafe withUnsafeMutableBytes(of: &digits) { buffer in
            repeat {
                count += 1
                unsafe buffer[24 - count] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                count += 1
                unsafe buffer[24 - count] = UInt8(ascii: "-")
            }
            unsafe text.append(Bytes(UnsafeRawBufferPointer(rebasing: buffer[(24 - count)...])))
        }
    }
}
