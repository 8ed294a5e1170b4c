/// Follows every reference of a binary property list, and counts the objects that a decoder would make.
struct BinaryPropertyListWalk {
    private let bytes: [UInt8]
    private var offsetBytes = 0
    private var referenceBytes = 0
    private var objectCount = 0
    private var tableOffset = 0
    /// The number of objects met so far, counted once for each reference.
    private var visits = 0
    /// The bytes of their content.
    private var expandedBytes = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the problem of the property list; `nil` if there is none.
    mutating func run() -> String? {
        guard bytes.count >= 40 else { return "it is too short for a binary property list" }
        let trailer = bytes.count - 32
        offsetBytes = Int(bytes[trailer + 6])
        referenceBytes = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes),
            let count = number(at: trailer + 8, 8), let top = number(at: trailer + 16, 8),
            let table = number(at: trailer + 24, 8), count > 0, top < count, table >= 8, table < trailer,
            count <= (trailer - table) / offsetBytes
        else { return "its trailer contradicts its length" }
        guard count <= InputLimits.propertyListObjects else { return PropertyListCheck.tooManyObjects }
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
        guard visits <= InputLimits.propertyListObjects else { return PropertyListCheck.tooManyObjects }
        guard depth <= InputLimits.depth else { return PropertyListCheck.tooDeep + ", or contains itself" }
        guard object < objectCount, let offset = number(at: tableOffset + object * offsetBytes, offsetBytes),
            offset >= 8, offset < tableOffset
        else { return "an object is outside the file" }
        let marker = bytes[offset]
        switch marker >> 4 {
        case 0x0: return marker == 0x08 || marker == 0x09 ? nil : "an object has an unknown type"
        case 0x1: return (marker & 15) <= 4 ? fits(offset + 1, 1 << Int(marker & 15)) : "an integer has an invalid size"
        case 0x2:
            return (2...3).contains(marker & 15)
                ? fits(offset + 1, 1 << Int(marker & 15)) : "a real number has an invalid size"
        case 0x3: return marker == 0x33 ? fits(offset + 1, 8) : "a date has an invalid size"
        case 0x4, 0x5: return sized(offset) { $0.expands($1, $2) }
        case 0x6: return sized(offset) { $0.expands($1, $2, each: 2) }
        case 0xa: return sized(offset) { $0.children($1, $2, depth) }
        case 0xd: return sized(offset) { $0.members($1, $2, depth) }
        default: return "an object has an unknown type"
        }
    }

    private func fits(_ offset: Int, _ count: Int, each width: Int = 1) -> String? {
        offset <= tableOffset && count <= (tableOffset - offset) / width ? nil : "an object is longer than the file"
    }

    /// Counts the bytes of a string or of data, which a decoder copies for each reference.
    private mutating func expands(_ offset: Int, _ count: Int, each width: Int = 1) -> String? {
        if let problem = fits(offset, count, each: width) { return problem }
        expandedBytes += count * width
        return expandedBytes <= InputLimits.expandedBytes
            ? nil : "it expands to more than \(InputLimits.expandedBytes) bytes"
    }

    /// Calls `body` with the offset and count of an object whose size is in its marker or after it.
    private mutating func sized(
        _ offset: Int, _ body: (inout BinaryPropertyListWalk, Int, Int) -> String?
    ) -> String? {
        let low = Int(bytes[offset] & 15)
        guard low == 15 else { return body(&self, offset + 1, low) }
        guard offset + 1 < tableOffset, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 15 <= 3 else {
            return "an object's size is invalid"
        }
        let width = 1 << Int(bytes[offset + 1] & 15)
        guard let count = number(at: offset + 2, width) else { return "an object's size is invalid" }
        return body(&self, offset + 2 + width, count)
    }

    private mutating func children(_ offset: Int, _ count: Int, _ depth: Int) -> String? {
        if let problem = fits(offset, count, each: referenceBytes) { return problem }
        for index in 0..<count {
            guard let child = number(at: offset + index * referenceBytes, referenceBytes) else {
                return "a reference is invalid"
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
