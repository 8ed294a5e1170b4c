import ShaleBase

/// Reads one line of JSON: objects of strings, integers, booleans and arrays of strings. Borrows the line.
struct JSONScanner {
    private let bytes: Bytes
    private(set) var index = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    // MARK: Structure

    /// Skips spaces. If the next character is `byte`, consumes it and returns true.
    mutating func passes(_ byte: UInt8) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index &+= 1
        return true
    }

    mutating func require(_ byte: UInt8) throws(ParseFailure) {
        guard passes(byte) else {
            throw ParseFailure("\"\(Character(UnicodeScalar(byte)))\" is expected at column \(index + 1)")
        }
    }

    mutating func requireEnd() throws(ParseFailure) {
        skipSpaces()
        guard index == bytes.count else { throw ParseFailure("something follows the object") }
    }

    private mutating func skipSpaces() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 || bytes[index] == 0x0d { index &+= 1 }
    }

    // MARK: Values

    /// Reads the name of a member and the colon. No known name has an escape.
    mutating func name() throws(ParseFailure) -> Bytes {
        try require(0x22)
        let start = index
        while index < bytes.count, bytes[index] != 0x22 { index &+= 1 }
        guard index < bytes.count else { throw ParseFailure("a member's name does not end") }
        let name = bytes.slice(start, index - start)
        index &+= 1
        try require(UInt8(ascii: ":"))
        return name
    }

    /// Reads a string and resolves its escapes. The result borrows the line if there are none, and `buffer` otherwise.
    mutating func string(_ buffer: inout ByteBuffer) throws(ParseFailure) -> Bytes {
        try require(0x22)
        let start = index
        index = endOfPlain(from: index)
        if index < bytes.count, bytes[index] == 0x22 {
            index &+= 1
            return bytes.slice(start, index - 1 - start)
        }
        buffer.removeAll()
        var from = start
        while index < bytes.count {
            buffer.append(bytes.slice(from, index - from))
            let byte = bytes[index]
            index &+= 1
            if byte == 0x22 { return buffer.bytes }
            guard byte == 0x5c else { throw ParseFailure("a control character is in a string, column \(index)") }
            try unescape(&buffer)
            from = index
            index = endOfPlain(from: index)
        }
        throw ParseFailure("a string does not end")
    }

    /// Decodes a string of base64 into `decoded`. Returns false, with nothing appended, if it is not base64. `buffer`
    /// is used as in ``string(_:)``.
    mutating func base64(into decoded: inout ByteBuffer, _ buffer: inout ByteBuffer) throws(ParseFailure) -> Bool {
        // Encoders may write "/" with a backslash. Without a backslash the next quote ends the string, so this path
        // need not examine every letter.
        skipSpaces()
        if index < bytes.count, bytes[index] == 0x22, let end = bytes.index(of: 0x22, from: index + 1),
            Base64.decode(bytes.slice(index + 1, end - index - 1), into: &decoded)
        {
            index = end + 1
            return true
        }
        return Base64.decode(try string(&buffer), into: &decoded)
    }

    /// Returns the index of the first quote, backslash or control character.
    private func endOfPlain(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= bytes.count {
            if !JSONText.isPlain(word: bytes.u64(at: index)) {
                // Non-ASCII letters don't end the run.
                let end = index &+ 8
                while index < end, !isSpecial(bytes[index]) { index &+= 1 }
                if index < end { return index }
                continue
            }
            index &+= 8
        }
        while index < bytes.count, !isSpecial(bytes[index]) { index &+= 1 }
        return index
    }

    private func isSpecial(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x5c || byte < 0x20 }

    private mutating func unescape(_ buffer: inout ByteBuffer) throws(ParseFailure) {
        guard index < bytes.count else { throw ParseFailure("an escape is cut short") }
        let byte = bytes[index]
        index &+= 1
        switch byte {
        case 0x22, 0x5c, 0x2f: buffer.append(byte)
        case UInt8(ascii: "n"): buffer.append(0x0a as UInt8)
        case UInt8(ascii: "r"): buffer.append(0x0d as UInt8)
        case UInt8(ascii: "t"): buffer.append(0x09 as UInt8)
        case UInt8(ascii: "b"): buffer.append(0x08 as UInt8)
        case UInt8(ascii: "f"): buffer.append(0x0c as UInt8)
        case UInt8(ascii: "u"): buffer.append(Array(String(Character(try scalar())).utf8))
        default: throw ParseFailure("an unknown escape, column \(index)")
        }
    }

    private mutating func scalar() throws(ParseFailure) -> UnicodeScalar {
        var code = try unit()
        if code & 0xfc00 == 0xd800, index + 2 <= bytes.count, bytes[index] == 0x5c {
            index &+= 2
            let low = try unit()
            guard low & 0xfc00 == 0xdc00 else { throw ParseFailure("half a surrogate pair, column \(index)") }
            code = 0x1_0000 + (code & 0x3ff) << 10 + low & 0x3ff
        }
        guard let scalar = UnicodeScalar(code) else { throw ParseFailure("half a surrogate pair, column \(index)") }
        return scalar
    }

    private mutating func unit() throws(ParseFailure) -> UInt32 {
        guard index + 4 <= bytes.count else { throw ParseFailure("an escape is cut short") }
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(bytes[index])).hexDigitValue else {
                throw ParseFailure("an escape lacks its four hexadecimal digits, column \(index)")
            }
            code = code << 4 | UInt32(digit)
            index &+= 1
        }
        return code
    }

    mutating func integer() throws(ParseFailure) -> Int64 {
        let isNegative = passes(UInt8(ascii: "-"))
        var value: Int64 = 0
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            let digit = Int64(bytes[index] &- 0x30)
            let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
            let (next, passes) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
            guard !overflows, !passes else { throw ParseFailure("a number is too large, column \(index)") }
            value = next
            index &+= 1
        }
        guard index > start else { throw ParseFailure("an integer is expected at column \(index + 1)") }
        return value
    }

    /// Reads at most `countMax` strings of at most `bytesMax` each. Without the limits a line could contain forty
    /// million.
    mutating func strings(countMax: Int, bytesMax: Int) throws(ParseFailure) -> [String] {
        try require(UInt8(ascii: "["))
        var strings: [String] = []
        var buffer = ByteBuffer()
        if passes(UInt8(ascii: "]")) { return strings }
        repeat {
            let text = try string(&buffer)
            guard strings.count < countMax, text.count <= bytesMax else {
                throw ParseFailure("a list of strings is too long, column \(index)")
            }
            guard let string = unsafe String(validating: text.buffer, as: UTF8.self) else {
                throw ParseFailure("a string is not UTF-8")
            }
            strings.append(string)
        } while passes(UInt8(ascii: ","))
        try require(UInt8(ascii: "]"))
        return strings
    }
}
