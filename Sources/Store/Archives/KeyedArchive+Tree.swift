import ShaleBase

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension KeyedArchive {
    /// The archive as data, for readers that don't have its classes.
    ///
    /// - Collections become arrays.
    /// - Dictionaries whose keys are all text become dictionaries; others become arrays of pairs.
    /// - URLs and UUIDs become text.
    /// - Objects of other classes become dictionaries of their fields, with the name of the class under `$class`.
    package var tree: StructuredValue { tree(root) }

    /// Converts one object. The check of references bounds recursion and size.
    private func tree(_ object: Int) -> StructuredValue {
        switch contents[object] {
        case .null, .nullObject: return .null
        case .value(let value): return value
        case .uuid(let bytes): return .string(KeyedArchive.uuid(bytes).uuidString)
        case .url(_, let relative): return url(object).map { .string($0.absoluteString) } ?? tree(relative)
        case .collection(_, _, let elements): return .array(elements.map(tree))
        case .dictionary(_, let keys, let values): return dictionary(keys.map(tree), values.map(tree))
        case .object(let className, let fields):
            var members = fields.mapValues(tree)
            members["$class"] = .string(className)
            return .dictionary(members)
        case .classDescription(let name): return .string(name)
        }
    }

    private func tree(_ part: ArchivePart) -> StructuredValue {
        switch part {
        case .value(let value): value
        case .reference(let object): tree(object)
        case .array(let parts): .array(parts.map(tree))
        case .dictionary(let members): .dictionary(members.mapValues(tree))
        }
    }

    private func dictionary(_ keys: [StructuredValue], _ values: [StructuredValue]) -> StructuredValue {
        var members: [String: StructuredValue] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = key else {
                return .array(zip(keys, values).map { .array([$0, $1]) })
            }
            members[name] = value
        }
        return .dictionary(members)
    }

    /// Returns the UUID with these 16 bytes.
    package static func uuid(_ bytes: [UInt8]) -> UUID {
        unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// Returns the URL that an object represents; `nil` if it is not a URL object or its text is not a valid URL.
    package func url(_ object: Int) -> URL? {
        guard case .url(let base, let relative) = contents[object],
            case .value(.string(let text)) = contents[relative]
        else { return nil }
        return URL(string: text, relativeTo: url(base))
    }
}
