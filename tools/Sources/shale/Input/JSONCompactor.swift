/// Checks one JSON text strictly (RFC 8259) and writes it without superfluous white space. Records the ranges of the
/// members of a top-level object.
///
/// Input is not trusted: nesting is bounded, so that no text can exhaust the stack.
struct JSONCompactor {
    struct Problem: Error {
        let message: String
        let offset: Int
        /// True if the text may be valid JSON but exceeds one of ``InputLimits``.
        var isLimit = false
    }

    /// A member of the top-level object: its unescaped name and its ranges in `output`.
    struct Member {
        let name: [UInt8]
        /// The range from the name's quote to the end of the value.
        let range: Range<Int>
        let value: Range<Int>
    }

    private(set) var output: [UInt8] = []
    private(set) var members: [Member] = []
    private let input: [UInt8]
    private var position = 0
    private var values = 0
    private let valuesMax: Int

    /// Compacts the JSON text `input`, which may have at most `valuesMax` values.
    init(_ input: [UInt8], valuesMax: Int = .max) throws {
        self.input = input
        self.valuesMax = valuesMax
        guard String(validating: input, as: UTF8.self) != nil else {
            throw Problem(message: "the text is not UTF-8", offset: 0)
        }
        output.reserveCapacity(input.count)
        skipSpace()
        try value(depth: 0)
        skipSpace()
        if position < input.count { throw unexpected() }
    }

    private var next: UInt8? { position < input.count ? input[position] : nil }

    private func unexpected() -> Problem {
        Problem(message: position < input.count ? "unexpected character" : "unexpected end", offset: position)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func copy() {
        output.append(input[position])
        position += 1
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard next == byte else { throw unexpected() }
        copy()
    }

    private mutating func value(depth: Int) throws {
        guard depth < InputLimits.depth else {
            throw Problem(message: "nested deeper than \(InputLimits.depth) levels", offset: position, isLimit: true)
        }
        values += 1
        guard values <= valuesMax else {
            throw Problem(message: "more than \(valuesMax) values", offset: position, isLimit: true)
        }
        switch next {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: try number()
        }
    }

    private mutating func object(depth: Int) throws {
        copy()
        skipSpace()
        if next == UInt8(ascii: "}") { return copy() }
        while true {
            let start = output.count
            try string()
            let nameEnd = output.count
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let valueStart = output.count
            try value(depth: depth + 1)
            if depth == 0 {
                guard members.count < InputLimits.members else {
                    throw Problem(message: "more than \(InputLimits.members) members", offset: position, isLimit: true)
                }
                members.append(
                    Member(
                        name: Self.unescaped(output[start..<nameEnd]), range: start..<output.count,
                        value: valueStart..<output.count))
            }
            skipSpace()
            if next == UInt8(ascii: "}") { return copy() }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    private mutating func array(depth: Int) throws {
        copy()
        skipSpace()
        if next == UInt8(ascii: "]") { return copy() }
        while true {
            try value(depth: depth + 1)
            skipSpace()
            if next == UInt8(ascii: "]") { return copy() }
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
    }

    private mutating func string() throws {
        try expect(UInt8(ascii: "\""))
        while let byte = next, byte >= 0x20 {
            copy()
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { try escape() }
        }
        throw unexpected()
    }

    private mutating func escape() throws {
        guard let byte = next, "\"\\/bfnrtu".utf8.contains(byte) else { throw unexpected() }
        copy()
        guard byte == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard let digit = next, Self.hexValue(digit) != nil else { throw unexpected() }
            copy()
        }
    }

    private mutating func literal(_ word: String) throws {
        for byte in word.utf8 { try expect(byte) }
    }

    private mutating func number() throws {
        if next == UInt8(ascii: "-") { copy() }
        if next == UInt8(ascii: "0") { copy() } else { try digits() }
        if next == UInt8(ascii: ".") {
            copy()
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            copy()
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { copy() }
            try digits()
        }
    }

    private mutating func digits() throws {
        let start = position
        while let byte = next, byte >= 0x30, byte <= 0x39 { copy() }
        if position == start { throw unexpected() }
    }

    private static func hexValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46: UInt32(byte) - 0x37
        case 0x61...0x66: UInt32(byte) - 0x57
        default: nil
        }
    }

    /// Returns the text of the JSON string `quoted`, which has been checked. A lone surrogate becomes U+FFFD.
    static func unescaped(_ quoted: ArraySlice<UInt8>) -> [UInt8] {
        let body = quoted.dropFirst().dropLast()
        guard body.contains(UInt8(ascii: "\\")) else { return Array(body) }
        var units: [UInt16] = []
        var text: [UInt8] = []
        func endUnits() {
            text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
            units.removeAll()
        }
        var index = body.startIndex
        while index < body.endIndex {
            guard body[index] == UInt8(ascii: "\\") else {
                endUnits()
                text.append(body[index])
                index += 1
                continue
            }
            let escape = body[index + 1]
            index += 2
            if escape == UInt8(ascii: "u") {
                units.append(UInt16(body[index..<index + 4].reduce(0) { $0 << 4 | (hexValue($1) ?? 0) }))
                index += 4
            } else {
                endUnits()
                text.append(plain(escape))
            }
        }
        endUnits()
        return text
    }

    private static func plain(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }
}
