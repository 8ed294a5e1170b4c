import ShaleBase

/// Decides whether bytes are an XML property list whose size in memory Foundation's parser bounds.
///
/// The parser recurses with every array and dictionary, and makes an object of every element, some hundred bytes for
/// the seven of
/// `<true/>`. So depth and number of elements are counted here first. What could hide elements from the count is
/// refused: encodings in which a `<` is not one byte, declarations inside a document type, attributes of elements other
/// than `plist`. Without recursion and without memory; O(bytes).
struct XMLListCheck {
    /// Nesting of elements below `plist`.
    static let depthMax = 256
    static let elementsMax = 1 << 20
    private static let encodings = ["utf-8", "us-ascii", "iso-8859-1"]

    private let bytes: Bytes
    private var index = 0
    private var depth = 0
    private var elementCount = 0

    private init(_ bytes: Bytes) { self.bytes = bytes }

    /// Throws `.corruption` for what goes beyond a limit, or is no XML by what the count looks at.
    static func check(_ document: RawSpan) throws(StorageError) {
        try unsafe document.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var check = XMLListCheck(unsafe Bytes(buffer))
                try check.run()
            } catch {
                throw .corruption("a file is no property list: \(error.reason)")
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
        guard depth <= XMLListCheck.depthMax + 1 else { throw ParseFailure("its elements are nested too deeply") }
    }

    /// The declaration of XML may name an encoding.
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

    /// Goes behind the next `text`; false, and to the end, when there is none.
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

    /// Whether `text` is next; then it is passed.
    private mutating func starts(_ text: StaticString) -> Bool {
        guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount {
            guard bytes[index &+ offset] == (unsafe text.utf8Start[offset]) else { return false }
        }
        index &+= text.utf8CodeUnitCount
        return true
    }
}
