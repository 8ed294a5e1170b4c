import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One operation of a batch, checked as far as possible without a store.
struct BatchOperation {
    /// The number of the line that it came from, from 1.
    let line: Int
    let namespace: NamespacePath
    let key: [UInt8]
    /// The value to set; `nil` removes the key.
    let value: BatchValue?
    let options: ValueOptions
    /// The `encrypted` member; `nil` leaves the choice to the namespace.
    let isEncrypted: Bool?

    /// Reads the operations of all lines. Throws with the number of the first line that is not valid.
    static func readAll(_ stream: ByteStream) throws -> [BatchOperation] {
        var lines = LineReader(stream)
        var operations: [BatchOperation] = []
        var bytes = 0
        while try lines.next() {
            let text = Array(lines.buffer[lines.line])
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            let place = "\(stream.name == "-" ? "standard input" : stream.name): line \(lines.number)"
            do {
                let operation = try BatchOperation(try BatchMembers(text), line: lines.number)
                bytes += operation.key.count + (operation.value?.approximateBytes ?? 0)
                guard bytes <= InputLimits.batchBytes else {
                    throw ToolFailure.badInput("the batch is larger than \(InputLimits.batchBytes) bytes")
                }
                operations.append(operation)
            } catch let failure as ToolFailure {
                throw ToolFailure.badInput("\(place): \(failure.message)")
            }
        }
        return operations
    }

    private init(_ given: BatchMembers, line: Int) throws {
        var members = given
        self.line = line
        let operation = try members.requiredText("op")
        namespace = try NamespacePath(try members.requiredText("namespace"), user: try members.text("user"))
        guard namespace.user != "" else { throw ToolFailure.badInput("the user is empty") }
        key = try Self.key(&members)
        var options: ValueOptions = []
        isEncrypted = try members.boolean("encrypted")
        switch operation {
        case "set":
            value = try BatchValue(&members)
            if let isPurgeable = try members.boolean("purgeable") {
                options = [options, isPurgeable ? .purgeable : .notPurgeable]
            }
            if let isEncrypted { options = [options, isEncrypted ? .encrypted : .notEncrypted] }
            if let expiry = try Self.expiry(&members) { options = [options, expiry] }
        case "remove":
            value = nil
            guard isEncrypted == nil else { throw ToolFailure.badInput("\"encrypted\" has no meaning for remove") }
        default: throw ToolFailure.badInput("\"op\" is neither set nor remove")
        }
        self.options = options
        try members.requireNoMore()
    }

    private static func key(_ members: inout BatchMembers) throws -> [UInt8] {
        let text = try members.text("key")
        let base64 = try members.text("keyBase64")
        let key: [UInt8]
        switch (text, base64) {
        case (let text?, nil): key = Array(text.utf8)
        case (nil, let base64?): key = try KeyArgument.bytes(base64, .base64)
        default: throw ToolFailure.badInput("give either \"key\" or \"keyBase64\"")
        }
        guard key.count <= InputLimits.keyBytes else {
            throw ToolFailure.badInput("the key is longer than \(InputLimits.keyBytes) bytes")
        }
        return key
    }

    private static func expiry(_ members: inout BatchMembers) throws -> ValueOptions? {
        let after = try members.text("expiresAfter")
        let at = try members.text("expiresAt")
        switch (after, at) {
        case (nil, nil): return nil
        case (let after?, nil):
            guard let lifetime = OptionalLifetime(argument: after) else {
                throw ToolFailure.badInput("\"expiresAfter\" is not a time as in 90s, 30m, 12h, 7d, or never")
            }
            return lifetime.duration.map { .expires(after: $0) } ?? .neverExpires
        case (nil, let at?):
            guard let date = DateArgument(argument: at) else {
                throw ToolFailure.badInput("\"expiresAt\" is not a date in ISO 8601")
            }
            return .expires(atMillisecondOf: date.date)
        case (_?, _?): throw ToolFailure.badInput("\"expiresAfter\" and \"expiresAt\" exclude each other")
        }
    }

    func add(to batch: inout Store.Batch, _ namespace: Store.Namespace) throws(StorageError) {
        switch value {
        case nil: try batch.remove(key, in: namespace)
        case .json(let text): try batch.set(CheckedJSON(text: text), forKey: key, in: namespace, options: options)
        case .typed(let value): try value.store(in: &batch, namespace, key, options)
        }
    }
}

/// A value of a batch.
enum BatchValue {
    /// A JSON text, which is stored as it is spelled.
    case json([UInt8])
    case typed(PutValue)

    var approximateBytes: Int {
        switch self {
        case .json(let text): text.count
        case .typed(let value): value.approximateBytes
        }
    }

    init(_ members: inout BatchMembers) throws {
        guard let json = members.take("value") else { throw ToolFailure.badInput("\"value\" is missing") }
        let name = try members.text("type")
        guard let type = try name.map(Self.type) ?? Self.naturalType(of: json) else {
            throw ToolFailure.badInput("\"value\" is null: name its type, or remove the key")
        }
        guard type != .json else {
            self = .json(json)
            return
        }
        let isText = json.first == UInt8(ascii: "\"")
        let text = isText ? JSONCompactor.unescaped(json[...]) : json
        guard isText || [.int, .double, .bool].contains(type) else {
            throw ToolFailure.badInput("a value of the type \(type.rawValue) is a JSON string")
        }
        if type == .data {
            guard let data = Data(base64Encoded: Data(text)) else {
                throw ToolFailure.badInput("\"value\" is not base64")
            }
            self = .typed(.data(data))
        } else {
            self = .typed(try PutValue(text, type))
        }
    }

    private static func type(_ name: String) throws -> PutType {
        guard let type = PutType(rawValue: name) else {
            throw ToolFailure.badInput(
                "\"type\" is none of \(PutType.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return type
    }

    /// Returns the type of a value whose operation names none; `nil` for null.
    private static func naturalType(of json: [UInt8]) -> PutType? {
        switch json.first {
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): .json
        default: Int64(String(decoding: json, as: UTF8.self)) == nil ? .double : .int
        }
    }
}

/// The members of an operation. Each is taken once, and none may be left.
struct BatchMembers {
    private var members: [String: [UInt8]] = [:]

    init(_ text: [UInt8]) throws {
        let compact: JSONCompactor
        do {
            compact = try JSONCompactor(text, valuesMax: InputLimits.jsonValues)
        } catch let problem as JSONCompactor.Problem {
            throw ToolFailure.badInput("byte \(problem.offset + 1): \(problem.message)")
        }
        guard compact.output.first == UInt8(ascii: "{") else { throw ToolFailure.badInput("this is not a JSON object") }
        for member in compact.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard members.updateValue(Array(compact.output[member.value]), forKey: name) == nil else {
                throw ToolFailure.badInput("\"\(name)\" is given twice")
            }
        }
    }

    /// Returns the JSON text of a member; `nil` if there is none.
    mutating func take(_ name: String) -> [UInt8]? { members.removeValue(forKey: name) }

    mutating func text(_ name: String) throws -> String? {
        guard let json = take(name) else { return nil }
        guard json.first == UInt8(ascii: "\"") else { throw ToolFailure.badInput("\"\(name)\" is not a string") }
        return String(decoding: JSONCompactor.unescaped(json[...]), as: UTF8.self)
    }

    mutating func requiredText(_ name: String) throws -> String {
        guard let text = try text(name) else { throw ToolFailure.badInput("\"\(name)\" is missing") }
        return text
    }

    mutating func boolean(_ name: String) throws -> Bool? {
        guard let json = take(name) else { return nil }
        guard let value = Bool(String(decoding: json, as: UTF8.self)) else {
            throw ToolFailure.badInput("\"\(name)\" is neither true nor false")
        }
        return value
    }

    func requireNoMore() throws {
        guard let name = members.keys.min() else { return }
        throw ToolFailure.badInput("\"\(name)\" is not a member of this operation")
    }
}
