import ShaleBase

/// RFC 4648, with padding, from and into buffers: no allocation for a value.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// By character: its value; 0xff for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: Bytes, into text: inout ByteBuffer) {
        let target = text.extend((bytes.count + 2) / 3 * 4)
        unsafe digits.withUnsafeBufferPointer { digits in
            var from = 0
            var to = 0
            while from < bytes.count {
                let left = bytes.count - from
                let group =
                    UInt32(bytes[from]) << 16 | (left > 1 ? UInt32(bytes[from + 1]) << 8 : 0)
                    | (left > 2 ? UInt32(bytes[from + 2]) : 0)
                unsafe target.store(digits[Int(group >> 18)], at: to)
                unsafe target.store(digits[Int(group >> 12 & 63)], at: to + 1)
                target.store(left > 1 ? unsafe digits[Int(group >> 6 & 63)] : UInt8(ascii: "="), at: to + 2)
                target.store(left > 2 ? unsafe digits[Int(group & 63)] : UInt8(ascii: "="), at: to + 3)
                from += 3
                to += 4
            }
        }
    }

    /// False, and nothing sensible appended, when `text` is no base64.
    static func decode(_ text: Bytes, into bytes: inout ByteBuffer) -> Bool {
        guard text.count % 4 == 0 else { return false }
        guard text.count > 0 else { return true }
        var padding = 0
        while padding < 2, text[text.count - 1 - padding] == UInt8(ascii: "=") { padding += 1 }
        let target = bytes.extend(text.count / 4 * 3 - padding)
        var invalid: UInt8 = 0
        unsafe values.withUnsafeBufferPointer { values in
            func value(_ index: Int) -> UInt32 {
                if index >= text.count - padding { return 0 }
                let value = unsafe values[Int(text[index])]
                invalid |= value
                return UInt32(value)
            }
            var to = 0
            for from in stride(from: 0, to: text.count, by: 4) {
                let group = value(from) << 18 | value(from + 1) << 12 | value(from + 2) << 6 | value(from + 3)
                target.store(UInt8(truncatingIfNeeded: group >> 16), at: to)
                if to + 1 < target.count { target.store(UInt8(truncatingIfNeeded: group >> 8), at: to + 1) }
                if to + 2 < target.count { target.store(UInt8(truncatingIfNeeded: group), at: to + 2) }
                to += 3
            }
        }
        return invalid & 0xc0 == 0
    }
}
