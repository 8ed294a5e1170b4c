/// What an object of a keyed archive is. The value classes of Foundation are understood here; no code of theirs runs.
package enum ArchivedContent: Sendable {
    package enum Collection: Sendable {
        case array
        case set
        case orderedSet
    }

    /// The archive's word for `nil`.
    case null
    /// A string, number, data or date, or a property list without objects.
    case value(StructuredValue)
    /// `NSNull`.
    case nullObject
    case uuid([UInt8])
    /// `base` and `relative` are objects.
    case url(base: Int, relative: Int)
    case collection(Collection, isMutable: Bool, elements: [Int])
    case dictionary(isMutable: Bool, keys: [Int], values: [Int])
    /// An object of any other class; `fields` without the class itself.
    case object(className: String, fields: [String: ArchivePart])
    /// The description of a class, which is not a value.
    case classDescription(name: String)

    /// Bytes of the strings and data in it, without those of objects that it refers to.
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

    /// The objects that it refers to, apart from its class.
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
