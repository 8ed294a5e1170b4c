import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The content of a JSON text or a property list, for readers that don't know the type that was stored.
public indirect enum StructuredValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    /// A number above `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    /// Only in property lists.
    case date(Date)
    /// Only in property lists.
    case data(Data)
    case array([StructuredValue])
    case dictionary([String: StructuredValue])
}

extension StructuredValue: Codable {
    public init(from decoder: any Decoder) throws {
        // A decoder reveals what it holds only by refusing everything else: each `try?` tests for a type, and its error
        // is no failure.
        if let container = try? decoder.container(keyedBy: MemberName.self) {
            var members: [String: StructuredValue] = [:]
            for name in container.allKeys {
                members[name.stringValue] = try container.decode(StructuredValue.self, forKey: name)
            }
            self = .dictionary(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [StructuredValue] = []
            while !container.isAtEnd { elements.append(try container.decode(StructuredValue.self)) }
            self = .array(elements)
        } else {
            self = try StructuredValue(scalar: try decoder.singleValueContainer())
        }
    }

    /// Tries one type after the other. A failed attempt only means that the value has another type, so no error is
    /// lost.
    private init(scalar: any SingleValueDecodingContainer) throws {
        if scalar.decodeNil() {
            self = .null
        } else if let value = try? scalar.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? scalar.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? scalar.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? scalar.decode(Double.self) {
            self = .double(value)
        } else if let value = try? scalar.decode(String.self) {
            self = .string(value)
        } else if let value = try? scalar.decode(Date.self) {
            self = .date(value)
        } else {
            self = .data(try scalar.decode(Data.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .dictionary(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .null, .array, .dictionary: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        }
    }
}

/// The name of a member of an object whose members are not known in advance.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension StructuredValue {
    /// Decodes a part of a property list as a type. Throws `.typeMismatch` if the part is another kind of value,
    /// `.codecFailure` if something inside it is.
    package func decoded<T: Decodable>(as type: T.Type) throws(StorageError) -> T {
        // Foundation decodes flags as numbers and numbers as flags.
        switch self {
        case .bool where T.self is any Numeric.Type: throw .typeMismatch(stored: "bool", requested: "\(T.self)")
        case .int where T.self == Bool.self, .unsigned where T.self == Bool.self, .double where T.self == Bool.self:
            throw .typeMismatch(stored: "number", requested: "\(T.self)")
        default: break
        }
        let envelope = try EncodedValue.envelope(of: self, as: .propertyList)
        return try unsafe EncodedValue.decode(T.self, envelope.span.bytes)
    }
}

extension StructuredValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension StructuredValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension StructuredValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension StructuredValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension StructuredValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: StructuredValue...) { self = .array(elements) }
}

extension StructuredValue: ExpressibleByDictionaryLiteral {
    /// Makes a dictionary. If a name occurs several times, its last value is used.
    public init(dictionaryLiteral members: (String, StructuredValue)...) {
        self = .dictionary(Dictionary(members) { _, last in last })
    }
}

extension StructuredValue {
    /// The number of bytes of the strings and data in the tree, including names of members.
    var contentBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.reduce(0) { $0 + $1.contentBytes }
        case .dictionary(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentBytes }
        case .null, .bool, .int, .unsigned, .double, .date: 0
        }
    }
}
