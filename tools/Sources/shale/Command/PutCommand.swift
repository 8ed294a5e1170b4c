import ArgumentParser
import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct PutCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores a value under a key.",
        discussion: """
            EXAMPLES
              shale put DIR settings volume 7 --type int
              shale put DIR images logo --type data --file logo.png
              shale put DIR sessions s1 '{"user":"u1"}' --type json --expires-after 7d
              pass show api | shale put DIR tokens api --encrypted --key-file store.key

            Without VALUE and --file the value is the exact bytes of standard input. A
            value that is to be encrypted is not accepted as an argument, because other
            users can see arguments.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The namespace; \"/\" separates levels. It is created if it does not exist.")
    var namespace: String

    @Argument(help: "The key.")
    var key: String

    @Argument(help: "The value.")
    var value: String?

    @Option(help: "Read the value from this file.", completion: .file())
    var file: String?

    @Option(help: "The type of the value.")
    var type = PutType.string

    @Flag(help: "The key is given as hexadecimal digits.")
    var hex = false

    @Flag(help: "Make the entry purgeable.")
    var purgeable = false

    @Flag(help: "Encrypt the value.")
    var encrypted = false

    @Option(help: "The time after which the entry expires: 90s, 30m, 12h, 7d.")
    var expiresAfter: Lifetime?

    @Flag(help: "Make the entry durable against power loss before the command ends.")
    var synced = false

    @Flag(help: "Create the store if it does not exist.")
    var create = false

    @Option(help: "The user whose space the namespace is in; default: the common space.")
    var user: String?

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if value != nil, file != nil { throw ValidationError("a value and --file exclude each other") }
        if value != nil, encrypted {
            throw ValidationError(
                "give a value that is to be encrypted on standard input or with --file: other users can see arguments")
        }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: user)
        let key = try KeyArgument.bytes(self.key, isHex: hex)
        let value = try PutValue(bytes(), type)
        let store = try StoreAccess.open(
            self.store.path, create ? .createIfMissing : .openExisting, keys, asks: encrypted)
        let namespace = store.namespace(path)
        try SecretPolicy(keys: keys, encrypts: encrypted).check([namespace])
        if self.value != nil, try namespace.options.isEncrypted { throw SecretPolicy.argumentRefusal(namespace) }
        try value.store(in: namespace, key, options, durability: synced ? .synced : .buffered)
        try store.close()
    }

    private var options: ValueOptions {
        var options: ValueOptions = []
        if purgeable { options = [options, .purgeable] }
        if encrypted { options = [options, .encrypted] }
        if let expiresAfter { options = [options, .expires(after: expiresAfter.duration)] }
        return options
    }

    private func bytes() throws -> [UInt8] {
        if let value { return Array(value.utf8) }
        guard let file else { return try readAll(STDIN_FILENO, named: "standard input") }
        let descriptor = try InputFile.descriptor(file)
        defer { _ = close(descriptor) }
        return try readAll(descriptor, named: file)
    }
}

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
