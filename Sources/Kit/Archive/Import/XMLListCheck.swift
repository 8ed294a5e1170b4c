import ShaleBase

/// Checks that Foundation's parser needs only bounded memory for an XML property list.
///
/// The parser recurses for every array and dictionary and makes an object for every element: some hundred bytes for the
/// seven of `<true/>`. The check therefore counts depth and elements first. It rejects everything that could hide
/// elements from the count: encodings in which `<` is not one byte, declarations inside a document type, attributes of
/// elements other than `plist`. It uses no recursion and no memory.
///
/// - Complexity: O(bytes).
struct XMLListCheck {
    /// The maximum nesting of elements below `plist`.
    static let depthMax = 256
    static let elementsMax = 1 << 20
    private static let encodings = ["utf-8", "us-ascii", "iso-8859-1"]

    private let bytes: Bytes
    private var index = 0
    private var depth = 0
    private var elementCount = 0

    private init(_ bytes: Bytes) { self.bytes = bytes }

    /// Throws `.corruption` if the document exceeds a limit, or is not XML as far as the count examines it.
    static func check(_ document: RawSpan) throws(StorageError) {
        try unsafe document.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var check = XMLListCheck(unsafe Bytes(buffer))
                try check.run()
            } catch {
                throw .corruption("the file is not a property list: \(error.reason)")
            }
        }
    }

    private mutating func run() throws(ParseFailure) {
        while passes(to: "<") {
            if starts("!--") {
                try require("-->")
            } else if starts("![CDATA[") {
                try require("]]>")
            } else if starts("?") {
                try declaration()
            } else if starts("!") {
                try documentType()
            } else if starts("/") {
                depth -= 1
                try require(">")
            } else {
                try element()
            }
        }
    }

    private mutating func element() throws(ParseFailure) {
        elementCount += 1
        guard elementCount <= XMLListCheck.elementsMax else { throw ParseFailure("it has more than 2^20 elements") }
        let start = index
        let isRoot = starts("plist")
        try require(">")
        let content = bytes.slice(start, index - 1 - start)
        if !isRoot {
            for offset in 0..<content.count {
                guard content[offset] != UInt8(ascii: "\""), content[offset] != UInt8(ascii: "'") else {
                    throw ParseFailure("an element has attributes")
                }
            }
        }
        if content.count > 0, content[content.count - 1] == UInt8(ascii: "/") { return }
        depth += 1
        guard depth <= XMLListCheck.depthMax + 1 else {
            throw ParseFailure("its elements are nested deeper than \(XMLListCheck.depthMax) levels")
        }
    }

    /// Checks the XML declaration, which may name an encoding.
    private mutating func declaration() throws(ParseFailure) {
        let start = index
        try require("?>")
        let text = String(decoding: bytes.slice(start, index - start).array(), as: UTF8.self).lowercased()
        guard let name = text.firstRange(of: "encoding") else { return }
        let value = text[name.upperBound...].drop { " \t\r\n=\"'".contains($0) }
        guard XMLListCheck.encodings.contains(where: { value.starts(with: $0) }) else {
            throw ParseFailure("its encoding is not UTF-8")
        }
    }

    private mutating func documentType() throws(ParseFailure) {
        let start = index
        try require(">")
        for offset in start..<index where bytes[offset] == UInt8(ascii: "[") {
            throw ParseFailure("its document type has declarations")
        }
    }

    // MARK: Steps

    /// Moves past the next `text`. If there is none, moves to the end and returns false.
    private mutating func passes(to text: StaticString) -> Bool {
        let first = unsafe text.utf8Start[0]
        while index < bytes.count {
            if bytes[index] == first, starts(text) { return true }
            index &+= 1
        }
        return false
    }

    private mutating func require(_ text: StaticString) throws(ParseFailure) {
        guard passes(to: text) else { throw ParseFailure("it is cut short") }
    }

    /// Returns true, and moves past `text`, if it comes next.
    private mutating func starts(_ text: StaticString) -> Bool {
        guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount {
            guard bytes[index &+ offset] == (unsafe text.utf8Start[offset]) else { return false }
        }
        index &+= text.utf8CodeUnitCount
        return true
    }
}
