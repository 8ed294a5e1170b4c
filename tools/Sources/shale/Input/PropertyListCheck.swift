/// Checks that bytes are safe for a property-list decoder. Decoders have crashed on hostile files, so everything that
/// they trust is checked before decoding, and ``InputLimits`` too.
enum PropertyListCheck {
    /// Throws unless `bytes` are a binary or XML property list of bounded depth and size.
    static func check(_ bytes: [UInt8], named name: String) throws {
        let problem: String?
        if bytes.starts(with: "bplist00".utf8) {
            var walk = BinaryPropertyListWalk(bytes)
            problem = walk.run()
        } else if let start = bytes.firstIndex(where: { $0 > 0x20 }), isXML(bytes[start...]) {
            var walk = XMLPropertyListWalk(bytes)
            problem = walk.run()
        } else {
            problem = "it is neither a binary nor an XML property list"
        }
        if let problem { throw ToolFailure.badInput("\(name): \(problem)") }
    }

    static let tooManyObjects = "it has more than \(InputLimits.propertyListObjects) objects"
    static let tooDeep = "it is nested deeper than \(InputLimits.depth) levels"

    private static func isXML(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes
        return ["<?xml", "<!DOCTYPE plist", "<plist"].contains { text.starts(with: $0.utf8) }
    }
}
