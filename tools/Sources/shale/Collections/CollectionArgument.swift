import Shale
import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A collection that an argument names.
struct NamedCollection {
    let path: NamespacePath
    let collection: StoredCollection
}

extension Store {
    /// Returns the collection in the namespace at `path`, or else in the namespace `collections/PATH`, where
    /// applications open collections by name.
    func existingCollection(_ path: NamespacePath) throws -> NamedCollection {
        let inCollections = NamespacePath(user: path.user, components: ["collections"] + path.components)
        for path in [path, inCollections] {
            if let collection = try StoredCollection(in: namespace(path)) {
                return NamedCollection(path: path, collection: collection)
            }
        }
        throw ToolFailure.notFound("there is no collection \(path.text)")
    }
}

extension CompositeKey.Element {
    /// The element as a tree for output.
    var tree: StructuredValue {
        get throws(StorageError) {
            switch self {
            case .null: .null
            case .bytes(let bytes): .data(Data(bytes))
            case .string(let text): .string(text)
            case .key(let key): .array(try key.elements.map { (element) throws(StorageError) in try element.tree })
            case .int(let number): .int(number)
            case .unsigned(let number): .unsigned(number)
            case .double(let number): .double(number)
            case .bool(let flag): .bool(flag)
            case .uuid(let id): .string(id.uuidString)
            case .date(let date): .date(date)
            }
        }
    }
}
