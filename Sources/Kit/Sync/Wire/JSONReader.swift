import Shale
import ShaleBase

/// Reads JSON member by member. Values that nobody looks into, such as documents, stay bytes.
///
/// The grammar is checked before anything is read, so a message is either well formed as a whole or refused. The
/// errors contain nothing of the message.
///
/// - Complexity: Two passes over the bytes.
package struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0

    /// - Throws: `.corruption` unless the bytes are one JSON value in UTF-8, at most 512 levels deep.
    package init(_ bytes: [UInt8]) throws(StorageError) {
        try unsafe JSONCheck.check(bytes.span.bytes)
        self.bytes = bytes
    }

    // MARK: Containers

    /// Reads an object. Passes the name of each member to `read`, which reads or skips its value.
    package mutating func object(
        _ read: (_ name: String, inout JSONReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        try require(UInt8(ascii: "{"))
        while try hasNext(before: UInt8(ascii: "}")) {
            let name = try string()
            try require(UInt8(ascii: ":"))
            try read(name, &self)
        }
    }

    /// Reads an array. Calls `read` for each element, which it reads or skips.
    package mutating func array(_ read: (inout JSONReader) throws(StorageError) -> Void) throws(StorageError) {
        try require(UInt8(ascii: "["))
        while try hasNext(before: UInt8(ascii: "]")) { try read(&self) }
    }

    private mutating func hasNext(before end: UInt8) throws(StorageError) -> Bool {
        skipSpaces()
        if try peek() == UInt8(ascii: ",") { index += 1 }
        skipSpaces()
        guard try peek() == end else { return true }
        index += 1
        return false
    }

    // MARK: Values

    /// Reads `null` if it is the next value.
    package mutating func null() throws(StorageError) -> Bool {
        skipSpaces()
        guard try peek() == UInt8(ascii: "n") else { return false }
        index += 4
        return true
    }

    package mutating func bool() throws(StorageError) -> Bool {
        skipSpaces()
        switch try peek() {
        case UInt8(ascii: "t"): index += 4
        case UInt8(ascii: "f"):
            index += 5
            return false
        default: throw .corruption("a message has no boolean where one must be")
        }
        return true
    }

    /// Reads a number without a fractional part, in any form: `50`, `50.0` and `5e1` are one number.
    package mutating func integer() throws(StorageError) -> Int64 {
        skipSpaces()
        let start = index
        if try peek() == UInt8(ascii: "-") { index += 1 }
        while index < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] { index += 1 }
        let isPlain = index == bytes.count || !".eE".utf8.contains(bytes[index])
        if !isPlain { while index < bytes.count, !JSONReader.ends(bytes[index]) { index += 1 } }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let number = isPlain ? Int64(text) : Double(text).flatMap({ Int64(exactly: $0) }) else {
            throw .corruption("a message has no integer of 64 bits where one must be")
        }
        return number
    }

    package mutating func string() throws(StorageError) -> String {
        try require(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while try peek() != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") {
                try text.append(contentsOf: escaped())
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of the next value as they stand.
    package mutating func raw() throws(StorageError) -> [UInt8] {
        skipSpaces()
        let start = index
        try skip()
        return Array(bytes[start..<index])
    }

    package mutating func skip() throws(StorageError) {
        var depth = 0
        repeat {
            skipSpaces()
            switch try peek() {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): index += 1
            case UInt8(ascii: "\""): try skipString()
            default: while index < bytes.count, !JSONReader.ends(bytes[index]) { index += 1 }
            }
        } while depth > 0
    }

    // MARK: Parts

    private static func ends(_ byte: UInt8) -> Bool { byte <= 0x20 || ",:]}[{\"".utf8.contains(byte) }

    private mutating func skipSpaces() {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    }

    private func peek() throws(StorageError) -> UInt8 {
        guard index < bytes.count else { throw .corruption("a message ends early") }
        return bytes[index]
    }

    private mutating func require(_ byte: UInt8) throws(StorageError) {
        skipSpaces()
        guard try peek() == byte else { throw .corruption("a message has another value than the protocol says") }
        index += 1
    }

    private mutating func skipString() throws(StorageError) {
        index += 1
        while try peek() != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index += 1
    }

    private mutating func escaped() throws(StorageError) -> [UInt8] {
        index += 1
        let byte = try peek()
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
        default: return [byte]
        }
    }

    private mutating func scalar() throws(StorageError) -> Unicode.Scalar {
        let first = try unit()
        guard 0xD800..<0xDC00 ~= first else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        guard try peek() == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") else {
            return "\u{FFFD}"
        }
        index += 2
        let second = try unit()
        guard 0xDC00..<0xE000 ~= second else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func unit() throws(StorageError) -> UInt32 {
        guard index + 4 <= bytes.count,
            let unit = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw .corruption("a message has a text with a broken escape") }
        index += 4
        return unit
    }
}
