import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of Foundation's value classes, in the form that its archivers write on Linux and on Apple platforms.
extension ArchivedContent {
    static func string(_ fields: [String: ArchivePart]) throws(ParseFailure) -> StructuredValue {
        if let text = fields["NS.string"]?.text { return .string(text) }
        guard case .value(.data(let bytes)) = fields["NS.bytes"], let text = String(validating: bytes, as: UTF8.self)
        else { throw ParseFailure("a string has no text") }
        return .string(text)
    }

    static func data(_ fields: [String: ArchivePart]) throws(ParseFailure) -> StructuredValue {
        guard case .value(.data(let bytes)) = fields["NS.data"] ?? fields["NS.bytes"] else {
            throw ParseFailure("data has no bytes")
        }
        return .data(bytes)
    }

    static func number(_ fields: [String: ArchivePart]) throws(ParseFailure) -> StructuredValue {
        let names = ["NS.number", "NS.boolval", "NS.intval", "NS.dblval"]
        guard case .value(let value)? = names.lazy.compactMap({ fields[$0] }).first else {
            throw ParseFailure("a number has no value")
        }
        switch value {
        case .bool, .int, .unsigned, .double: return value
        default: throw ParseFailure("a number has no value")
        }
    }

    static func date(_ fields: [String: ArchivePart]) throws(ParseFailure) -> StructuredValue {
        switch fields["NS.time"] {
        case .value(.double(let seconds)) where !seconds.isNaN:
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .value(.int(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        default: throw ParseFailure("a date has no time")
        }
    }

    static func uuid(_ fields: [String: ArchivePart]) throws(ParseFailure) -> ArchivedContent {
        guard case .value(.data(let bytes)) = fields["NS.uuidbytes"], bytes.count == 16 else {
            throw ParseFailure("a UUID is not 16 bytes")
        }
        return .uuid([UInt8](bytes))
    }

    static func url(_ fields: [String: ArchivePart]) throws(ParseFailure) -> ArchivedContent {
        guard case .reference(let base) = fields["NS.base"], case .reference(let relative) = fields["NS.relative"]
        else { throw ParseFailure("a URL has no text") }
        return .url(base: base, relative: relative)
    }

    static func collection(
        _ kind: Collection, _ isMutable: Bool, _ fields: [String: ArchivePart]
    ) throws(ParseFailure) -> ArchivedContent {
        if let list = fields["NS.objects"] {
            guard let elements = list.referenceList else { throw ParseFailure("a collection holds no objects") }
            return .collection(kind, isMutable: isMutable, elements: elements)
        }
        var elements: [Int] = []
        while let element = fields["NS.object.\(elements.count)"] {
            guard case .reference(let object) = element else { throw ParseFailure("a collection holds no objects") }
            elements.append(object)
        }
        guard elements.count == fields.count else { throw ParseFailure("a collection has gaps") }
        return .collection(kind, isMutable: isMutable, elements: elements)
    }

    static func dictionary(
        _ isMutable: Bool, _ fields: [String: ArchivePart]
    ) throws(ParseFailure) -> ArchivedContent {
        guard let keys = fields["NS.keys"]?.referenceList, let values = fields["NS.objects"]?.referenceList,
            keys.count == values.count
        else { throw ParseFailure("a dictionary has different numbers of keys and values") }
        return .dictionary(isMutable: isMutable, keys: keys, values: values)
    }
}
