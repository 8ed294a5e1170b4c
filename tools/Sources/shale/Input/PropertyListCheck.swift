/// Decides whether bytes may be shown to a property-list decoder: decoders have been seen to crash on hostile files, so
/// everything that they trust is checked first.
enum PropertyListCheck {
    static let depthMax = 64
    static let bytesMax = 64 << 20
    /// How often a walk of a binary list may meet an object, for each of its bytes. A reference takes a byte at least, so
    /// only lists whose arrays or dictionaries are shared, and so expand when they are decoded, come near it.
    static let visitsPerByteMax = 4

    /// Throws unless `bytes` are a binary or XML property list of bounded depth and size.
    static func check(_ bytes: [UInt8], named name: String) throws {
        let problem: String?
        if bytes.starts(with: "bplist00".utf8) {
            var walk = BinaryWalk(bytes)
            problem = walk.run()
        } else if let start = bytes.firstIndex(where: { $0 > 0x20 }), isXML(bytes[start...]) {
            problem = checkXML(bytes)
        } else {
            problem = "it is neither a binary nor an XML property list"
        }
        if let problem { throw ToolFailure.badInput("\(name): \(problem)") }
    }

    private static func isXML(_ bytes: ArraySlice<UInt8>) -> Bool {
        let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes
        return ["<?xml", "<!DOCTYPE plist", "<plist"].contains { text.starts(with: $0.utf8) }
    }

    /// Nesting only: opening tags minus closing tags never pass the bound.
    private static func checkXML(_ bytes: [UInt8]) -> String? {
        var depth = 0
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "<") {
            switch bytes[index + 1] {
            case UInt8(ascii: "/"): depth -= 1
            case UInt8(ascii: "?"), UInt8(ascii: "!"): break
            default:
                guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { return "a tag does not end" }
                if bytes[end - 1] != UInt8(ascii: "/") { depth += 1 }
            }
            if depth > depthMax { return "it is nested deeper than \(depthMax)" }
        }
        return bytes.contains(sequence: Array("<!ENTITY".utf8)) ? "it declares entities" : nil
    }

    /// Walks every reference of a binary property list.
    private struct BinaryWalk {
        let bytes: [UInt8]
        var offsetBytes = 0
        var referenceBytes = 0
        var objectCount = 0
        var tableOffset = 0
        var visits = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// What is wrong, or `nil`.
        mutating func run() -> String? {
            guard bytes.count >= 40 else { return "it is too short for a binary property list" }
            let trailer = bytes.count - 32
            offsetBytes = Int(bytes[trailer + 6])
            referenceBytes = Int(bytes[trailer + 7])
            guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
                let count = number(at: trailer + 8, 8), let top = number(at: trailer + 16, 8),
                let table = number(at: trailer + 24, 8), count > 0, top < count, table >= 8, table < trailer,
                count <= (trailer - table) / offsetBytes
            else { return "its trailer does not agree with its length" }
            objectCount = count
            tableOffset = table
            return walk(top, depth: 0)
        }

        private func number(at offset: Int, _ width: Int) -> Int? {
            guard offset >= 0, width <= bytes.count - offset else { return nil }
            let value = bytes[offset..<offset + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int(exactly: value)
        }

        private mutating func walk(_ object: Int, depth: Int) -> String? {
            visits += 1
            guard visits <= visitsPerByteMax * bytes.count else { return "it refers to too many objects" }
            guard depth <= depthMax else { return "it is nested deeper than \(depthMax), or contains itself" }
            guard object < objectCount, let offset = number(at: tableOffset + object * offsetBytes, offsetBytes),
                offset >= 8, offset < tableOffset
            else { return "an object is outside the file" }
            let marker = bytes[offset]
            switch marker >> 4 {
            case 0x0: return marker == 0x08 || marker == 0x09 ? nil : "an object has an unknown type"
            case 0x1: return fits(offset + 1, 1 << Int(marker & 15), maximum: 16)
            case 0x2: return (2...3).contains(marker & 15) ? fits(offset + 1, 1 << Int(marker & 15)) : "a real is odd"
            case 0x3: return marker == 0x33 ? fits(offset + 1, 8) : "a date is odd"
            case 0x4, 0x5: return sized(offset) { $0.fits($1, $2) }
            case 0x6: return sized(offset) { $0.fits($1, $2, each: 2) }
            case 0xa: return sized(offset) { $0.children($1, $2, depth) }
            case 0xd: return sized(offset) { $0.members($1, $2, depth) }
            default: return "an object has an unknown type"
            }
        }

        private func fits(_ offset: Int, _ count: Int, each width: Int = 1, maximum: Int = .max) -> String? {
            count <= maximum && offset <= tableOffset && count <= (tableOffset - offset) / width
                ? nil : "an object is longer than the file"
        }

        /// Calls `body` with the place and count of an object whose size is in its marker or behind it.
        private mutating func sized(_ offset: Int, _ body: (inout BinaryWalk, Int, Int) -> String?) -> String? {
            let low = Int(bytes[offset] & 15)
            guard low == 15 else { return body(&self, offset + 1, low) }
            guard offset + 1 < tableOffset, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 15 <= 3 else {
                return "an object's size is odd"
            }
            let width = 1 << Int(bytes[offset + 1] & 15)
            guard let count = number(at: offset + 2, width) else { return "an object's size is odd" }
            return body(&self, offset + 2 + width, count)
        }

        private mutating func children(_ offset: Int, _ count: Int, _ depth: Int) -> String? {
            if let problem = fits(offset, count, each: referenceBytes) { return problem }
            for index in 0..<count {
                guard let child = number(at: offset + index * referenceBytes, referenceBytes) else {
                    return "a reference is odd"
                }
                if let problem = walk(child, depth: depth + 1) { return problem }
            }
            return nil
        }

        private mutating func members(_ offset: Int, _ count: Int, _ depth: Int) -> String? {
            guard count <= .max / 2 else { return "an object is longer than the file" }
            if let problem = fits(offset, 2 * count, each: referenceBytes) { return problem }
            for index in 0..<count {
                guard let name = number(at: offset + index * referenceBytes, referenceBytes), name < objectCount,
                    let place = number(at: tableOffset + name * offsetBytes, offsetBytes), place < tableOffset,
                    place >= 8, bytes[place] >> 4 == 5 || bytes[place] >> 4 == 6
                else { return "a dictionary's key is not a string" }
            }
            return children(offset, 2 * count, depth)
        }
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        guard let first = sequence.first else { return true }
        return indices.contains { self[$0] == first && self[$0...].starts(with: sequence) }
    }
}
