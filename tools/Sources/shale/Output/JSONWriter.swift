/// Writes JSON directly where an encoder would need the whole document in memory or a value for every field.
enum JSONWriter {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends `bytes` as a JSON string, after `prefix` if there is one. Returns false if they are not UTF-8; the
    /// appended text is then not valid.
    static func append(string bytes: [UInt8], to text: inout [UInt8], after prefix: UInt8? = nil) -> Bool {
        if let prefix { text.append(prefix) }
        text.append(0x22)
        var start = 0
        var isASCII = true
        for (index, byte) in bytes.enumerated() {
            if byte >= 0x80 { isASCII = false }
            guard byte < 0x20 || byte == 0x22 || byte == 0x5c else { continue }
            text.append(contentsOf: bytes[start..<index])
            start = index + 1
            appendEscape(of: byte, to: &text)
        }
        text.append(contentsOf: bytes[start...])
        text.append(0x22)
        return isASCII || String(validating: bytes, as: UTF8.self) != nil
    }

    /// Returns the number of bytes of `bytes` as a JSON string.
    static func quotedCount(of bytes: [UInt8]) -> Int {
        bytes.reduce(2) { count, byte in
            switch byte {
            case 0x22, 0x5c, 0x0a, 0x0d, 0x09: count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }

    private static func appendEscape(of byte: UInt8, to text: inout [UInt8]) {
        text.append(0x5c)
        switch byte {
        case 0x22, 0x5c: text.append(byte)
        case 0x0a: text.append(UInt8(ascii: "n"))
        case 0x0d: text.append(UInt8(ascii: "r"))
        case 0x09: text.append(UInt8(ascii: "t"))
        default:
            text.append(contentsOf: "u00".utf8)
            text.append(hexDigits[Int(byte >> 4)])
            text.append(hexDigits[Int(byte & 15)])
        }
    }
}
