import ShaleBase

/// A part of a keyed archive: a property list that may refer to objects of the archive.
package indirect enum ArchivePart: Sendable {
    /// Anything but an array or a dictionary.
    case value(StructuredValue)
    /// The object of the archive with this number.
    case reference(Int)
    case array([ArchivePart])
    case dictionary([String: ArchivePart])

    /// The text; `nil` if this part is not text.
    var text: String? {
        guard case .value(.string(let text)) = self else { return nil }
        return text
    }

    /// The number of bytes of all strings and data inside. Objects that the part refers to don't count.
    var contentBytes: Int {
        switch self {
        case .value(let value): value.contentBytes
        case .reference: 0
        case .array(let parts): parts.reduce(0) { $0 + $1.contentBytes }
        case .dictionary(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentBytes }
        }
    }

    /// The numbers of the objects; `nil` unless this part is an array of references.
    var referenceList: [Int]? {
        guard case .array(let parts) = self else { return nil }
        var references: [Int] = []
        references.reserveCapacity(parts.count)
        for part in parts {
            guard case .reference(let object) = part else { return nil }
            references.append(object)
        }
        return references
    }

    /// Appends the numbers of all objects that this part refers to, at any depth.
    func collectReferences(_ references: inout [Int]) {
        switch self {
        case .value: break
        case .reference(let object): references.append(object)
        case .array(let parts): parts.forEach { $0.collectReferences(&references) }
        case .dictionary(let members): members.values.forEach { $0.collectReferences(&references) }
        }
    }

    /// The property list; `nil` if it refers to an object.
    package var plain: StructuredValue? {
        switch self {
        case .value(let value): return value
        case .reference: return nil
        case .array(let parts):
            let values = parts.compactMap(\.plain)
            return values.count == parts.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.compactMapValues(\.plain)
            return values.count == members.count ? .dictionary(values) : nil
        }
    }
}

extension BinaryPropertyList {
    /// Returns the content of an object. The caller has checked the references: their depth bounds the recursion.
    func part(_ object: Int) throws(ParseFailure) -> ArchivePart {
        let (offset, marker) = try marker(object)
        let references = try references(of: object)
        switch marker >> 4 {
        case 0x8:
            let number = number(at: offset + 1, width: Int(marker & 0x0f) + 1)
            guard let number = Int(exactly: number) else { throw ParseFailure("a UID is out of range") }
            return .reference(number)
        case 0xa:
            var parts: [ArchivePart] = []
            parts.reserveCapacity(references.count)
            for index in 0..<references.count { parts.append(try part(try target(references, index))) }
            return .array(parts)
        case 0xd:
            var members: [String: ArchivePart] = [:]
            for index in 0..<references.keyCount {
                guard let name = try part(try target(references, index)).text else { continue }
                let member = try part(try target(references, references.keyCount + index))
                guard members.updateValue(member, forKey: name) == nil else {
                    throw ParseFailure("a dictionary has a key twice")
                }
            }
            return .dictionary(members)
        default: return .value(try scalar(object))
        }
    }
}
