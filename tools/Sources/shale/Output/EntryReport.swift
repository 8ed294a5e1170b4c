import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry for output: key, type and value.
struct EntryReport: ListedRow {
    /// The key as text. Absent if it is not UTF-8; `keyBase64` then contains it.
    let key: String?
    let keyBase64: String?
    /// The codec: string, int, json, propertyList, …
    let type: String?
    /// The value. Absent if it is encrypted and not to be shown.
    let value: ShownValue?
    /// The size of the encoded value.
    let bytes: Int?
    let purgeable: Bool?
    let encrypted: Bool?
    let expiresAt: String?
    let writtenAt: String?
    /// Not encoded.
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, keyBase64, type, value, bytes, purgeable, encrypted, expiresAt, writtenAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    /// Makes a report. With a key alone, the entry is listed without its value. `value` is `nil` for a secret that is
    /// not to be shown.
    init(key: [UInt8], _ info: ValueInfo? = nil, _ value: StoredValue? = nil) {
        keyBytes = key
        let shown = ShownKey(key)
        self.key = shown.text
        keyBase64 = shown.base64
        type = info?.codec.description
        self.value = value.map { ShownValue($0) }
        bytes = info?.payloadByteCount
        purgeable = info?.isPurgeable
        encrypted = info?.isEncrypted
        expiresAt = info?.expiresAt.map(timestamp)
        writtenAt = info?.writtenAt.map(timestamp)
    }

    /// Returns, for people, the value or the reason why it is hidden.
    func shownValue() throws -> String {
        if let value { return try value.text() }
        return "(encrypted \(type ?? ""), \(Figures.count(bytes ?? 0, "byte")))"
    }

    /// Returns, for people, the key and after a tab the value, in one line.
    func line() throws -> Shown {
        let name = Shown(key: keyBytes)
        if type == nil { return name }
        return "\(name)\t\(try shownValue())"
    }
}

/// A stored value as text and in JSON: data as base64, dates as ISO 8601.
struct ShownValue: Encodable {
    let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .json(let tree), .propertyList(let tree), .compact(let tree), .archive(let tree), .custom(_, let tree):
            try container.encode(ShownTree(tree))
        case .versioned(_, let value): try container.encode(ShownValue(value))
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
        if case .versioned(_, let value) = value { return try ShownValue(value).text() }
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
struct ShownTree: Encodable {
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
