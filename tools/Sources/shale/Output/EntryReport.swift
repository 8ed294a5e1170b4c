import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry as it is shown: key, type and value.
struct EntryReport: ListedRow {
    /// The key as text; absent when it is not UTF-8, then `keyBase64` is there.
    let key: String?
    let keyBase64: String?
    /// The codec: string, int, json, propertyList, …
    let type: String?
    /// Absent where the value is encrypted and not to be shown.
    let value: ShownValue?
    /// Of the encoded value.
    let bytes: Int?
    let purgeable: Bool?
    let encrypted: Bool?
    let expiresAt: String?
    let writtenAt: String?
    /// Not shown.
    private let keyBytes: [UInt8]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, keyBase64, type, value, bytes, purgeable, encrypted, expiresAt, writtenAt
    }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    /// With a key alone, the entry is listed without its value. `value` is `nil` for a secret that stays one.
    init(key: [UInt8], _ info: ValueInfo? = nil, _ value: StoredValue? = nil) {
        keyBytes = key
        let text = String(validating: key, as: UTF8.self)
        self.key = text
        keyBase64 = text == nil ? Data(key).base64EncodedString() : nil
        type = info?.codec.description
        self.value = value.map { ShownValue($0) }
        bytes = info?.payloadByteCount
        purgeable = info?.isPurgeable
        encrypted = info?.isEncrypted
        expiresAt = info?.expiresAt.map(timestamp)
        writtenAt = info?.writtenAt.map(timestamp)
    }

    /// For people: the value, or what hides it.
    func shownValue() throws -> String {
        if let value { return try value.text() }
        return "(encrypted \(type ?? ""), \(Figures.count(bytes ?? 0, "byte")))"
    }

    /// For people: the key, and behind a tab the value, in one line.
    func line() throws -> String {
        let name = singleLine(key: keyBytes)
        return type == nil ? name : "\(name)\t\(singleLine(try shownValue()))"
    }
}

/// A stored value in text and in JSON: data as base64, dates as ISO 8601.
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

    /// For people: strings as they are, everything else as its JSON.
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

/// A JSON or property-list tree for JSON: what JSON lacks becomes a string.
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

/// ISO 8601, UTC, milliseconds.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

/// `text` in one line: what would break it is escaped with a backslash.
func singleLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x5c || $0 == 0x7f }) else { return text }
    var line = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": line += "\\\\"
        case "\n": line += "\\n"
        case "\r": line += "\\r"
        case "\t": line += "\\t"
        case _ where scalar.value < 0x20 || scalar.value == 0x7f:
            line += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        default: line.unicodeScalars.append(scalar)
        }
    }
    return line
}

/// A key in one line; bytes that are not text as `\xNN`.
func singleLine(key: [UInt8]) -> String {
    if let text = String(validating: key, as: UTF8.self) { return singleLine(text) }
    return key.map { byte in
        byte >= 0x20 && byte < 0x7f && byte != 0x5c
            ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
}
