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
