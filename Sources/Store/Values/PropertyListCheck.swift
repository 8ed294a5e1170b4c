package import ShaleBase

/// Checks property lists of untrusted origin, so that Foundation's parser can take them.
///
/// Not API: for the `shale` command, which imports files of any origin with limits of its own.
@_spi(Command)
public enum PropertyListCheck {
    /// Throws `.corruption` unless `list` is a binary or XML property list that is safe for Foundation's parser, with
    /// at most `depthMax` levels of nesting and at most `objectsMax` objects. The error contains nothing of the list.
    ///
    /// - Complexity: O(bytes).
    public static func check(_ list: RawSpan, depthMax: Int, objectsMax: Int) throws(StorageError) {
        try unsafe list.withUnsafeBytes { (buffer) throws(StorageError) in
            let bytes = unsafe Bytes(buffer)
            do throws(ParseFailure) {
                if BinaryPropertyList.hasMagic(bytes) {
                    try ReferenceCheck.run(
                        try BinaryPropertyList(bytes), depthMax: depthMax, expandedMax: objectsMax)
                } else {
                    try XMLPropertyListCheck.check(bytes, depthMax: depthMax, elementsMax: objectsMax)
                }
            } catch {
                throw .corruption("not a valid property list: \(error.reason)")
            }
        }
    }
}

/// Checks that Foundation's parser needs only bounded memory for an XML property list.
///
/// The parser recurses for every array and dictionary and makes an object for every element: some hundred bytes for the
/// seven of `<true/>`. It also takes any text for a property list of an older format. The check therefore requires the
/// beginning of an XML property list, and counts depth and elements. It rejects everything that could hide elements
/// from the count: encodings in which `<` is not one byte, declarations inside a document type, attributes of elements
/// other than `plist`. It uses no recursion and no memory.
///
/// - Complexity: O(bytes).
package struct XMLPropertyListCheck {
    private static let encodings = ["utf-8", "us-ascii", "iso-8859-1"]
    /// The number of bytes of a byte order mark and white space in which the beginning is searched for.
    private static let leadingBytesMax = 512

    private let bytes: Bytes
    private let depthMax: Int
    private let elementsMax: Int
    private var index = 0
    private var depth = 0
    private var elementCount = 0

    private init(_ bytes: Bytes, depthMax: Int, elementsMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.elementsMax = elementsMax
    }

    /// Throws unless the document begins as an XML property list, is XML as far as the count examines it, and has at
    /// most `depthMax` levels below `plist` and at most `elementsMax` elements.
    package static func check(_ document: Bytes, depthMax: Int, elementsMax: Int) throws(ParseFailure) {
        guard isXML(document) else { throw ParseFailure("it is neither binary nor XML") }
        var check = XMLPropertyListCheck(document, depthMax: depthMax, elementsMax: elementsMax)
        try check.run()
    }

    /// True if the document begins as an XML property list, after a byte order mark and white space.
    private static func isXML(_ document: Bytes) -> Bool {
        let leading = document.slice(0, min(document.count, leadingBytesMax)).array()
        let start = leading.drop { [0xef, 0xbb, 0xbf, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
        return ["<?xml", "<!DOCTYPE", "<plist"].contains { start.starts(with: $0.utf8) }
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
                try require(">")
                depth -= 1
                guard depth >= 0 else { throw ParseFailure("a closing tag has no opening tag") }
            } else {
                try element()
            }
        }
        guard depth == 0 else { throw ParseFailure("a tag is not closed") }
    }

    private mutating func element() throws(ParseFailure) {
        elementCount += 1
        guard elementCount <= elementsMax else { throw ParseFailure("it has more than \(elementsMax) objects") }
        let start = index
        // Only the root has attributes. Quotes in other tags could hide the end of a tag.
        let mayHaveAttributes = elementCount == 1 && starts("plist")
        try require(">")
        let content = bytes.slice(start, index - 1 - start)
        if !mayHaveAttributes {
            for offset in 0..<content.count {
                switch content[offset] {
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "="):
                    throw ParseFailure("an element has attributes")
                default: continue
                }
            }
        }
        if content.count > 0, content[content.count - 1] == UInt8(ascii: "/") { return }
        depth += 1
        guard depth <= depthMax + 1 else {
            throw ParseFailure("its elements are nested deeper than \(depthMax) levels")
        }
    }

    /// Checks the XML declaration, which may name an encoding.
    private mutating func declaration() throws(ParseFailure) {
        let start = index
        try require("?>")
        let text = String(decoding: bytes.slice(start, index - start).array(), as: UTF8.self).lowercased()
        guard let name = text.firstRange(of: "encoding") else { return }
        let value = text[name.upperBound...].drop { " \t\r\n=\"'".contains($0) }
        guard XMLPropertyListCheck.encodings.contains(where: { value.starts(with: $0) }) else {
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
