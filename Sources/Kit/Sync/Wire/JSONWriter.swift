/// Writes JSON. Documents are inserted as they stand.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func integer(_ number: Int64) { raw(Array("\(number)".utf8)) }

    package mutating func bool(_ value: Bool) { raw(Array((value ? "true" : "false").utf8)) }

    /// Inserts a value that is JSON; `null` for `nil`.
    package mutating func raw(_ value: [UInt8]?) {
        separate()
        bytes.append(contentsOf: value ?? Array("null".utf8))
        needsComma = true
    }

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case ..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(digits)".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func separate() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }
}

/// Bytes as text: two hexadecimal digits for each.
package enum HexText {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text.append(contentsOf: [digit(byte >> 4), digit(byte & 15)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes; `nil` if the text has an odd length, or another character than a digit.
    package static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
