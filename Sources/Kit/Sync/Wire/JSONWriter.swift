/// Writes JSON. Documents are inserted as they stand.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Returns an object whose members `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(write)
        return json.bytes
    }

    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        write(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array of objects, whose members `write` writes.
    package mutating func array<Element>(of elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        for element in elements { object { write(element, &$0) } }
        close(UInt8(ascii: "]"))
    }

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
