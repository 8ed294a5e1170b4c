import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of one object of a keyed archive. Shale interprets Foundation's value classes itself and runs none of
/// their code.
package enum ArchivedContent: Sendable {
    package enum Collection: Sendable {
        case array
        case set
        case orderedSet
    }

    /// The archive's representation of `nil`.
    case null
    /// A string, number, data or date, or a property list without objects.
    case value(StructuredValue)
    /// `NSNull`.
    case nullObject
    case uuid([UInt8])
    /// A URL. `base` and `relative` are numbers of objects.
    case url(base: Int, relative: Int)
    case collection(Collection, isMutable: Bool, elements: [Int])
    case dictionary(isMutable: Bool, keys: [Int], values: [Int])
    /// An object of any other class. `fields` does not contain the class.
    case object(className: String, fields: [String: ArchivePart])
    /// The description of a class, which is not a value.
    case classDescription(name: String)

    /// The number of bytes of its strings and data. Objects that it refers to don't count.
    var contentBytes: Int {
        switch self {
        case .value(let value): return value.contentBytes
        case .uuid(let bytes): return bytes.count
        case .object(let className, let fields):
            return fields.reduce(className.utf8.count) { $0 + $1.key.utf8.count + $1.value.contentBytes }
        case .null, .nullObject, .url, .collection, .dictionary: return 0
        case .classDescription(let name): return name.utf8.count
        }
    }

    /// The numbers of the objects that it refers to, except its class.
    var references: [Int] {
        switch self {
        case .null, .value, .nullObject, .uuid, .classDescription: return []
        case .url(let base, let relative): return [base, relative]
        case .collection(_, _, let elements): return elements
        case .dictionary(_, let keys, let values): return keys + values
        case .object(_, let fields):
            var references: [Int] = []
            fields.values.forEach { $0.collectReferences(&references) }
            return references
        }
    }
}

extension ArchivedContent {
    /// Parses one element of an archive's list of objects. `classNames` maps the number of each class description to
    /// the name of the class.
    init(_ part: ArchivePart, classNames: [Int: String]) throws(ParseFailure) {
        guard case .dictionary(var fields) = part, let reference = fields.removeValue(forKey: "$class") else {
            self = try ArchivedContent(plain: part)
            return
        }
        guard case .reference(let number) = reference, let className = classNames[number] else {
            throw ParseFailure("an object has no class")
        }
        self = try ArchivedContent(className, fields)
    }

    /// Returns the name of a class; `nil` unless `part` describes a class.
    static func className(_ part: ArchivePart) throws(ParseFailure) -> String? {
        guard case .dictionary(let fields) = part, fields["$class"] == nil, let name = fields["$classname"] else {
            return nil
        }
        guard let name = name.text, !name.isEmpty else { throw ParseFailure("a class has no name") }
        return name
    }

    private init(plain part: ArchivePart) throws(ParseFailure) {
        if let name = try ArchivedContent.className(part) {
            self = .classDescription(name: name)
        } else if part.text == "$null" {
            self = .null
        } else if let value = part.plain {
            self = .value(value)
        } else {
            throw ParseFailure("an object has no class")
        }
    }

    private init(_ className: String, _ fields: [String: ArchivePart]) throws(ParseFailure) {
        switch className {
        case "NSNull": self = .nullObject
        case "NSString", "NSMutableString": self = .value(try ArchivedContent.string(fields))
        case "NSData", "NSMutableData": self = .value(try ArchivedContent.data(fields))
        case "NSNumber": self = .value(try ArchivedContent.number(fields))
        case "NSDate": self = .value(try ArchivedContent.date(fields))
        case "NSUUID": self = try ArchivedContent.uuid(fields)
        case "NSURL": self = try ArchivedContent.url(fields)
        case "NSArray": self = try ArchivedContent.collection(.array, false, fields)
        case "NSMutableArray": self = try ArchivedContent.collection(.array, true, fields)
        case "NSSet": self = try ArchivedContent.collection(.set, false, fields)
        case "NSMutableSet": self = try ArchivedContent.collection(.set, true, fields)
        case "NSOrderedSet": self = try ArchivedContent.collection(.orderedSet, false, fields)
        case "NSMutableOrderedSet": self = try ArchivedContent.collection(.orderedSet, true, fields)
        case "NSDictionary": self = try ArchivedContent.dictionary(false, fields)
        case "NSMutableDictionary": self = try ArchivedContent.dictionary(true, fields)
        default: self = .object(className: className, fields: fields)
        }
    }
}

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
