import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The literals of conditions, which have the kinds of the fields that they are compared with.
///
/// | field | literal |
/// |---|---|
/// | integer | `12` |
/// | real | `1.5`, `2`, `1e9` |
/// | text | `'text'` or `"text"`; the quote inside it twice |
/// | boolean | `true`, `false` |
/// | date | `'2026-01-31'`, `'2026-01-31T12:00:00Z'`, `'2026-01-31T12:00:00.250Z'` |
/// | uuid | `'5BE2D3A4-…'` |
/// | binary | `x'00ff'` |
/// | any | `null` |
enum ConditionLiteral {
    case value(CompositeKey.Element)
    /// The token is no literal of the kind. The text says what one is.
    case wrong(String)

    static func element(_ token: ConditionToken, _ kind: FieldKind) -> ConditionLiteral {
        if token.isKeyword("null") { return .value(.null) }
        let element: CompositeKey.Element?
        switch (kind, token) {
        case (.integer, .number(let text)): element = integer(text)
        case (.real, .number(let text)): element = Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case (.text, .text(let text)): element = .string(text)
        case (.boolean, _) where token.isKeyword("true"): element = .bool(true)
        case (.boolean, _) where token.isKeyword("false"): element = .bool(false)
        case (.date, .text(let text)): element = DateText.date(text).map { .date($0) }
        case (.uuid, .text(let text)): element = UUID(uuidString: text).map { .uuid($0) }
        case (.binary, .bytes(let bytes)): element = .bytes(bytes)
        default: element = nil
        }
        return element.map { .value($0) } ?? .wrong(wanted(kind))
    }

    private static func wanted(_ kind: FieldKind) -> String {
        switch kind {
        case .integer: "an integer of at most 64 bits"
        case .real: "a number"
        case .text: "a text in quotes"
        case .boolean: "true or false"
        case .date: "a date in quotes, such as '2026-01-31' or '2026-01-31T12:00:00Z',"
        case .uuid: "a UUID in quotes"
        case .binary: "bytes, such as x'00ff',"
        }
    }

    private static func integer(_ text: String) -> CompositeKey.Element? {
        Int64(text).map { .int($0) } ?? UInt64(text).map { .unsigned($0) }
    }
}
