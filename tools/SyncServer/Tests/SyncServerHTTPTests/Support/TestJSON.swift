import Foundation

/// A value of JSON.
enum TestJSON: Decodable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([TestJSON])
    case object([String: TestJSON])

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(TestJSON.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([TestJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: TestJSON].self))
        }
    }

    var text: String? { if case .string(let value) = self { value } else { nil } }
    var number: Int64? { if case .integer(let value) = self { value } else { nil } }
    var elements: [TestJSON]? { if case .array(let value) = self { value } else { nil } }
    var members: [String: TestJSON]? { if case .object(let value) = self { value } else { nil } }

    /// The name of the value's type in JSON Schema.
    var type: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    subscript(_ name: String) -> TestJSON? { members?[name] }

    /// Returns the value at a path of names.
    func at(_ path: String...) -> TestJSON? {
        path.reduce(self as TestJSON?) { value, name in value?[name] }
    }
}
