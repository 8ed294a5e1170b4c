package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts a property list to a tree after ``BinaryPropertyListChecker`` has checked it; the checked depth bounds the
/// recursion. Foundation's decoder is not used because it decodes the real 3.0 as an integer.
extension BinaryPropertyList {
    /// Returns the value of a stored property list, which is the only element of an array.
    static func storedValue(_ payload: RawSpan) throws(StorageError) -> StructuredValue {
        try BinaryPropertyListChecker.check(payload)
        return try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                let list = try BinaryPropertyList(unsafe Bytes(buffer))
                guard case .array(let box) = try list.tree(list.topObject), box.count == 1 else {
                    throw ParseFailure("its root is not an array of one element")
                }
                return box[0]
            } catch {
                throw .corruption("a stored property list is not valid: \(error.reason)")
            }
        }
    }

    fileprivate func tree(_ object: Int) throws(ParseFailure) -> StructuredValue {
        switch try marker(object).marker >> 4 {
        case 0xa: return .array(try array(try references(of: object)))
        case 0xd: return .dictionary(try dictionary(try references(of: object)))
        default: return try scalar(object)
        }
    }

    /// Returns the value of an object that refers to no others.
    func scalar(_ object: Int) throws(ParseFailure) -> StructuredValue {
        let (offset, marker) = try marker(object)
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0: return .bool(marker == 0x09)
        case 0x1: return try integer(offset + 1, width: 1 << low)
        case 0x2:
            let bits = number(at: offset + 1, width: 1 << low)
            return .double(low == 2 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits))
        case 0x3:
            let seconds = Double(bitPattern: number(at: offset + 1, width: 8))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default:
            let (start, count) = try length(offset, low)
            if marker >> 4 == 0x4 { return .data(unsafe Data(bytes.slice(start, count).buffer)) }
            return .string(try text(start, count, isWide: marker >> 4 == 0x6))
        }
    }

    private func integer(_ offset: Int, width: Int) throws(ParseFailure) -> StructuredValue {
        guard width <= 8 else {
            guard number(at: offset, width: 8) == 0 else { throw ParseFailure("an integer has more than 64 bits") }
            let value = number(at: offset + 8, width: 8)
            return Int64(exactly: value).map { .int($0) } ?? .unsigned(value)
        }
        // Only integers of eight bytes are signed.
        return .int(Int64(bitPattern: number(at: offset, width: width)))
    }

    private func array(_ references: References) throws(ParseFailure) -> [StructuredValue] {
        var elements: [StructuredValue] = []
        elements.reserveCapacity(references.count)
        for index in 0..<references.count { elements.append(try tree(try target(references, index))) }
        return elements
    }

    private func dictionary(_ references: References) throws(ParseFailure) -> [String: StructuredValue] {
        var members: [String: StructuredValue] = [:]
        for index in 0..<references.keyCount {
            guard case .string(let name) = try tree(try target(references, index)) else { continue }
            members[name] = try tree(try target(references, references.keyCount + index))
        }
        return members
    }

    private func text(_ start: Int, _ count: Int, isWide: Bool) throws(ParseFailure) -> String {
        let text: String?
        if isWide {
            let units = (0..<count).map { UInt16(truncatingIfNeeded: number(at: start + 2 * $0, width: 2)) }
            text = String(validating: units, as: UTF16.self)
        } else {
            text = String(validating: bytes.slice(start, count).array(), as: UTF8.self)
        }
        guard let text else { throw ParseFailure("a string is not valid") }
        return text
    }
}

extension StructuredValue {
    /// Parses the root of a binary property list. Throws `.corruption` if `payload` is not one.
    package init(binaryPropertyList payload: RawSpan) throws(StorageError) {
        try BinaryPropertyListChecker.check(payload)
        self = try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                let list = try BinaryPropertyList(unsafe Bytes(buffer))
                return try list.tree(list.topObject)
            } catch {
                throw .corruption("a property list is not valid: \(error.reason)")
            }
        }
    }
}
