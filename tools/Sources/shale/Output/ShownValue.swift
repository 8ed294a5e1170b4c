import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stored value as text and in JSON: data as base64, dates as ISO 8601.
struct ShownValue: Encodable {
    let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .json(let tree), .propertyList(let tree), .archive(let tree), .custom(_, let tree):
            try container.encode(ShownTree(tree))
        case .string(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(ShownTree(.double(value)))
        case .float(let value): try container.encode(ShownTree(.double(Double(value))))
        case .data(let value): try container.encode(value.base64EncodedString())
        case .date(let value): try container.encode(timestamp(value))
        case .uuid(let value): try container.encode(value.uuidString)
        case .url(let value): try container.encode(value.absoluteString)
        }
    }

    /// Returns the value for people: strings unchanged, everything else as its JSON.
    func text() throws -> String {
        if case .string(let text) = value { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode([self]), as: UTF8.self).dropFirst().dropLast()
        switch value {
        case .data, .date, .uuid, .url: return String(json.dropFirst().dropLast())
        default: return String(json)
        }
    }
}

/// A JSON or property-list tree for JSON output. Types that JSON lacks become strings.
private struct ShownTree: Encodable {
    let tree: StructuredValue

    init(_ tree: StructuredValue) { self.tree = tree }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch tree {
        case .array(let elements): try container.encode(elements.map { ShownTree($0) })
        case .dictionary(let members): try container.encode(members.mapValues { ShownTree($0) })
        case .date(let value): try container.encode(timestamp(value))
        case .data(let value): try container.encode(value.base64EncodedString())
        case .double(let value) where !value.isFinite: try container.encode("\(value)")
        default: try container.encode(tree)
        }
    }
}

/// A key in JSON: text if it is UTF-8, otherwise base64.
struct ShownKey {
    let text: String?
    let base64: String?

    init(_ key: [UInt8]) {
        text = String(validating: key, as: UTF8.self)
        base64 = text == nil ? Data(key).base64EncodedString() : nil
    }
}
