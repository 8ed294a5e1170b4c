package import ShaleBase

/// Checks that bytes are a JSON document which is safe for Foundation's decoder.
///
/// The decoder allocates 24 bytes for every number and more for every container before it returns the first value: a
/// document of 64 MiB needs over 1 GiB. The check therefore verifies the grammar first and bounds the depth and the
/// number of values. It uses no recursion, and one byte of memory for each level.
///
/// - Complexity: O(bytes).
package struct JSONCheck {
    /// The maximum nesting of arrays and objects: the limit of Foundation's decoder.
    static let depthMax = 512
    /// The maximum number of values, including containers and names of members.
    static let valuesMax = 1 << 22
    /// The size up to which stored documents are decoded without the check: the decoder needs less than 64 MiB for
    /// them.
    static let smallBytes = 1 << 20

    private let bytes: Bytes
    private var index = 0
    private var valueCount = 0
    /// One element for each open container: true for an object, false for an array.
    private var open: [Bool] = []

    private init(_ bytes: Bytes) { self.bytes = bytes }

    /// Throws `.corruption` if `document` is not valid JSON or exceeds the limits. The error contains nothing of the
    /// document.
    package static func check(_ document: RawSpan) throws(StorageError) {
        try unsafe document.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var check = JSONCheck(unsafe Bytes(buffer))
                try check.run()
                guard unsafe String(validating: buffer, as: UTF8.self) != nil else {
                    throw ParseFailure("it is not UTF-8")
                }
            } catch {
                throw .corruption("a JSON document is not valid: \(error.reason)")
            }
        }
    }

    private mutating func run() throws(ParseFailure) {
        try value()
        while let isObject = open.last {
            let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            skipSpaces()
            let isFollowed = passes(UInt8(ascii: ","))
            skipSpaces()
            // Foundation's decoder accepts a comma before the end.
            if passes(end) {
                open.removeLast()
                continue
            }
            guard isFollowed else { throw failure("a comma is missing") }
            try member(isObject)
        }
        skipSpaces()
        guard index == bytes.count else { throw failure("something follows the document") }
    }

    /// Parses the next value. Opens containers up to the first scalar or empty container.
    private mutating func value() throws(ParseFailure) {
        while true {
            valueCount += 1
            guard valueCount <= JSONCheck.valuesMax else { throw failure("it has more than 2^22 values") }
            skipSpaces()
            guard index < bytes.count else { throw failure("a value is missing") }
            let byte = bytes[index]
            guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return try scalar(byte) }
            let isObject = byte == UInt8(ascii: "{")
            index &+= 1
            guard open.count < JSONCheck.depthMax else {
                throw failure("it is nested deeper than \(JSONCheck.depthMax) levels")
            }
            skipSpaces()
            if passes(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return }
            open.append(isObject)
            if isObject { try name() }
        }
    }

    private mutating func member(_ isObject: Bool) throws(ParseFailure) {
        if isObject { try name() }
        try value()
    }

    private mutating func name() throws(ParseFailure) {
        valueCount += 1
        skipSpaces()
        try string()
        skipSpaces()
        guard passes(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
    }

    private mutating func scalar(_ byte: UInt8) throws(ParseFailure) {
        switch byte {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func word(_ word: StaticString) throws(ParseFailure) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard passes(unsafe word.utf8Start[offset]) else { throw failure("a value is not valid JSON") }
        }
    }

    private mutating func number() throws(ParseFailure) {
        _ = passes(UInt8(ascii: "-"))
        if !passes(UInt8(ascii: "0")) { try digits() }
        if passes(UInt8(ascii: ".")) { try digits() }
        if passes(UInt8(ascii: "e")) || passes(UInt8(ascii: "E")) {
            if !passes(UInt8(ascii: "+")) { _ = passes(UInt8(ascii: "-")) }
            try digits()
        }
    }

    private mutating func digits() throws(ParseFailure) {
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 < 10 { index &+= 1 }
        guard index > start else { throw failure("a number is not valid") }
    }

    private mutating func string() throws(ParseFailure) {
        guard passes(UInt8(ascii: "\"")) else { throw failure("a string is missing") }
        while index < bytes.count {
            let byte = bytes[index]
            index &+= 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw failure("a string has a control character")
            default: continue
            }
        }
        throw failure("a string does not end")
    }

    private mutating func escape() throws(ParseFailure) {
        guard index < bytes.count else { throw failure("an escape is cut short") }
        let byte = bytes[index]
        index &+= 1
        guard byte == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(byte) else { throw failure("an escape is unknown") }
            return
        }
        for _ in 0..<4 {
            guard index < bytes.count, Character(UnicodeScalar(bytes[index])).isHexDigit else {
                throw failure("an escape lacks its four hexadecimal digits")
            }
            index &+= 1
        }
    }

    private mutating func passes(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index &+= 1
        return true
    }

    private mutating func skipSpaces() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index &+= 1
            default: return
            }
        }
    }

    private func failure(_ reason: String) -> ParseFailure { ParseFailure("\(reason), byte \(index)") }
}
