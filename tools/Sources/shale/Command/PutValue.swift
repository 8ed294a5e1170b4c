import ArgumentParser
import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The types of values that `put` makes.
enum PutType: String, ExpressibleByArgument, CaseIterable {
    case string, data, int, double, bool, date, uuid, url, json
}

/// A duration in an argument: digits and a unit.
struct Lifetime: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let number = Int64(argument.dropLast()), number > 0,
            number <= 1_000_000_000
        else { return nil }
        duration = .seconds(number * unit)
    }
}

/// A value that `put` stores, checked before a store is opened.
enum PutValue {
    case string(String)
    case data(Data)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case json(StructuredValue)

    init(_ bytes: [UInt8], _ type: PutType) throws {
        if type == .data {
            self = .data(Data(bytes))
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolFailure.usage("the value is not UTF-8: store it with --type data")
        }
        if type == .json { try Self.checkJSON(text) }
        guard let value = Self.parsed(text, type) else {
            throw ToolFailure.usage("the value is not a valid \(type.rawValue)")
        }
        self = value
    }

    /// Parses a value. Strings are taken unchanged; around other types white space is ignored.
    private static func parsed(_ text: String, _ type: PutType) -> PutValue? {
        var word = text.drop(while: \.isWhitespace)
        while word.last?.isWhitespace == true { word.removeLast() }
        let trimmed = String(word)
        return switch type {
        case .string: .string(text)
        case .data: .data(Data(text.utf8))
        case .int: Int64(trimmed).map { .int($0) }
        case .double: Double(trimmed).map { .double($0) }
        case .bool: Bool(trimmed).map { .bool($0) }
        case .date: date(trimmed).map { .date($0) }
        case .uuid: UUID(uuidString: trimmed).map { .uuid($0) }
        case .url: URL(string: trimmed).map { .url($0) }
        case .json: json(text).map { .json($0) }
        }
    }

    /// Parses ISO 8601 with or without fractions of seconds. A failure is a normal result here: the caller reports it.
    private static func date(_ text: String) -> Date? {
        for fractions in [true, false] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fractions)
            if let date = try? style.parse(text) { return date }
        }
        return nil
    }

    /// Checks the limits before decoding, which may take many times the size of the text.
    private static func checkJSON(_ text: String) throws {
        do {
            _ = try JSONCompactor(Array(text.utf8), valuesMax: InputLimits.jsonValues)
        } catch let problem as JSONCompactor.Problem {
            let message = "the value is not valid JSON: byte \(problem.offset + 1): \(problem.message)"
            throw problem.isLimit ? ToolFailure.badInput(message) : ToolFailure.usage(message)
        }
    }

    /// Returns `nil` if the text does not decode; the caller reports it.
    private static func json(_ text: String) -> StructuredValue? {
        try? JSONDecoder().decode(StructuredValue.self, from: Data(text.utf8))
    }

    func store(
        in namespace: Namespace, _ key: [UInt8], _ options: ValueOptions, durability: Durability
    ) throws(StorageError) {
        switch self {
        case .string(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .data(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .int(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .double(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .bool(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .date(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .uuid(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .url(let value): try namespace.set(value, forKey: key, options, durability: durability)
        case .json(let value): try namespace.set(value, forKey: key, as: .json, options, durability: durability)
        }
    }
}
