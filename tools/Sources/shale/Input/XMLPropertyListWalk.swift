/// Counts the tags of an XML property list and their nesting, without interpreting them. One pass: each byte is
/// examined only a few times, whatever the text is.
///
/// The decoder has to see the same tags. Everything that could hide a tag from one of the two, and that property lists
/// don't need, is therefore rejected: attributes except those of `<plist>`, declarations inside the document type, and
/// encodings in which tags have other bytes.
struct XMLPropertyListWalk {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var elements = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the problem of the property list; `nil` if there is none.
    mutating func run() -> String? {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start
            if let problem = passTag() { return problem }
        }
        return depth == 0 ? nil : "a tag is not closed"
    }

    private mutating func passTag() -> String? {
        if begins("<!--") { return pass("-->", "a comment") }
        if begins("<![CDATA[") { return pass("]]>", "a section") }
        if begins("<?") {
            let start = position
            return pass("?>", "an instruction") ?? checkEncoding(bytes[start..<position])
        }
        if begins("<!") {
            let start = position
            return pass(">", "a declaration")
                ?? (bytes[start..<position].contains(UInt8(ascii: "[")) ? "it declares entities" : nil)
        }
        return passElement()
    }

    private mutating func passElement() -> String? {
        let start = position
        if let problem = pass(">", "a tag") { return problem }
        let tag = bytes[start + 1..<position - 1]
        if tag.first == UInt8(ascii: "/") {
            depth -= 1
            return depth < 0 ? "a closing tag has no opening tag" : nil
        }
        elements += 1
        guard elements <= InputLimits.propertyListObjects else { return PropertyListCheck.tooManyObjects }
        if tag.contains(where: { $0 == 0x22 || $0 == 0x27 || $0 == 0x3d }), !tag.starts(with: "plist ".utf8) {
            return "a tag has attributes"
        }
        if tag.last != UInt8(ascii: "/") { depth += 1 }
        // The outermost tag is not a value.
        return depth > InputLimits.depth + 1 ? PropertyListCheck.tooDeep : nil
    }

    private func begins(_ mark: StaticString) -> Bool { bytes[position...].starts(with: "\(mark)".utf8) }

    /// Moves past the next `mark`.
    private mutating func pass(_ mark: StaticString, _ what: String) -> String? {
        let mark = Array("\(mark)".utf8)
        while let start = bytes[position...].firstIndex(of: mark[0]) {
            position = start + 1
            if bytes[start...].starts(with: mark) {
                position = start + mark.count
                return nil
            }
        }
        return "\(what) does not end"
    }

    private func checkEncoding(_ instruction: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: instruction, as: UTF8.self).lowercased()
        guard text.contains("encoding") else { return nil }
        return ["utf-8", "us-ascii", "iso-8859-1"].contains { text.contains("\"\($0)\"") || text.contains("'\($0)'") }
            ? nil : "its encoding is not UTF-8"
    }
}
