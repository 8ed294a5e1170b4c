import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes binary property lists in the layout that ``BinaryPropertyList`` reads. Equal trees give equal bytes: members
/// are sorted by name, and equal strings are one object.
package struct BinaryPropertyListWriter {
    private enum Object {
        case scalar([UInt8])
        case references(marker: UInt8, count: Int, objects: [Int])
    }

    private var objects: [Object] = []
    private var texts: [String: Int] = [:]
    private var depth = 0

    /// Returns the bytes of a property list with `part` as its root. Throws if `part` contains `nil` or is nested too
    /// deeply for readers.
    package static func bytes(_ part: ArchivePart) throws(ParseFailure) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        let top = try writer.add(part)
        return writer.bytes(top)
    }

    // MARK: Objects

    private mutating func add(_ part: ArchivePart) throws(ParseFailure) -> Int {
        depth += 1
        defer { depth -= 1 }
        guard depth <= BinaryPropertyListChecker.depthMax else {
            throw ParseFailure("values are nested deeper than \(BinaryPropertyListChecker.depthMax) levels")
        }
        switch part {
        case .array(let parts): return try addArray(parts)
        case .dictionary(let members): return try addDictionary(members)
        case .reference(let number): return add(scalar: [0x83] + BinaryPropertyListWriter.bigEndian(UInt32(number)))
        case .value(.array(let values)): return try addArray(values.map { .value($0) })
        case .value(.dictionary(let members)): return try addDictionary(members.mapValues { .value($0) })
        case .value(.string(let text)): return add(text: text)
        case .value(let value): return add(scalar: try BinaryPropertyListWriter.scalar(value))
        }
    }

    private mutating func add(scalar: [UInt8]) -> Int {
        objects.append(.scalar(scalar))
        return objects.count - 1
    }

    private mutating func add(text: String) -> Int {
        if let known = texts[text] { return known }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let units = isASCII ? Array(text.utf8) : text.utf16.flatMap { BinaryPropertyListWriter.bigEndian($0) }
        let header = BinaryPropertyListWriter.header(isASCII ? 0x50 : 0x60, isASCII ? units.count : units.count / 2)
        let number = add(scalar: header + units)
        texts[text] = number
        return number
    }

    private mutating func addArray(_ parts: [ArchivePart]) throws(ParseFailure) -> Int {
        var elements: [Int] = []
        for part in parts { elements.append(try add(part)) }
        objects.append(.references(marker: 0xa0, count: elements.count, objects: elements))
        return objects.count - 1
    }

    private mutating func addDictionary(_ members: [String: ArchivePart]) throws(ParseFailure) -> Int {
        var names: [Int] = []
        var values: [Int] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            names.append(add(text: name))
            values.append(try add(value))
        }
        objects.append(.references(marker: 0xd0, count: names.count, objects: names + values))
        return objects.count - 1
    }

    private static func scalar(_ value: StructuredValue) throws(ParseFailure) -> [UInt8] {
        switch value {
        case .bool(let value): return [value ? 0x09 : 0x08]
        case .int(let value): return integer(value)
        case .unsigned(let value): return [0x14] + bigEndian(UInt64(0)) + bigEndian(value)
        case .double(let value): return [0x23] + bigEndian(value.bitPattern)
        case .date(let value):
            guard !value.timeIntervalSinceReferenceDate.isNaN else { throw ParseFailure("a date is not a number") }
            return [0x33] + bigEndian(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): return header(0x40, value.count) + value
        case .null, .string, .array, .dictionary: throw ParseFailure("property lists have no nil")
        }
    }

    /// Encodes an integer. Only integers of eight bytes are signed.
    private static func integer(_ value: Int64) -> [UInt8] {
        switch value {
        case 0...0xff: [0x10, UInt8(value)]
        case 0...0xffff: [0x11] + bigEndian(UInt16(value))
        case 0...0xffff_ffff: [0x12] + bigEndian(UInt32(value))
        default: [0x13] + bigEndian(UInt64(bitPattern: value))
        }
    }

    /// Returns the marker and the length of an object with a length.
    private static func header(_ marker: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0f] + integer(Int64(count))
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    // MARK: File

    private func bytes(_ top: Int) -> [UInt8] {
        let referenceBytes = BinaryPropertyListWriter.width(objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let scalar): bytes += scalar
            case .references(let marker, let count, let objects):
                bytes += BinaryPropertyListWriter.header(marker, count)
                for object in objects {
                    bytes += BinaryPropertyListWriter.bigEndian(UInt64(object)).suffix(referenceBytes)
                }
            }
        }
        let table = bytes.count
        let offsetBytes = BinaryPropertyListWriter.width(table)
        for offset in offsets { bytes += BinaryPropertyListWriter.bigEndian(UInt64(offset)).suffix(offsetBytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)]
        for number in [objects.count, top, table] { bytes += BinaryPropertyListWriter.bigEndian(UInt64(number)) }
        return bytes
    }

    /// Returns the number of bytes needed for numbers up to `value`.
    private static func width(_ value: Int) -> Int {
        switch value {
        case ...0xff: 1
        case ...0xffff: 2
        case ...0xffff_ffff: 4
        default: 8
        }
    }
}
