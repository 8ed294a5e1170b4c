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
              shale put DIR images 'a\\x00b' AAEC/w== --type data --value-base64
              pass show api | shale put DIR tokens api --encrypted --key-file store.key

            \(KeyFormOptions.explanation)

            Without VALUE and --file the value is the exact bytes of standard input. A
            value that is to be encrypted is not accepted as an argument, because other
            users can see arguments. --value-escaped takes a value as "scan" prints it.
            """)

    @OptionGroup var store: StoreArgument

    @Argument(
        help: "The namespace; \"/\" separates levels. It is created if it does not exist.",
        completion: StoreCompletion.namespaces)
    var namespace: String

    @Argument(help: "The key.")
    var key: String

    @Argument(help: "The value.")
    var value: String?

    @Option(help: "Read the value from this file.", completion: .file())
    var file: String?

    @Option(help: "The type of the value.")
    var type = PutType.string

    @OptionGroup var form: KeyFormOptions

    @Flag(help: "The value has the escapes of keys: \\xNN, \\n, \\r, \\t, \\\\.")
    var valueEscaped = false

    @Flag(help: "The value is given as base64.")
    var valueBase64 = false

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

    @OptionGroup var space: SpaceOption

    @OptionGroup(title: "Keys of encrypted stores") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if valueEscaped, valueBase64 { throw ValidationError("--value-escaped and --value-base64 exclude each other") }
        if value != nil, file != nil { throw ValidationError("a value and --file exclude each other") }
        if value != nil, encrypted {
            throw ValidationError(
                "give a value that is to be encrypted on standard input or with --file: other users can see arguments")
        }
    }

    func run() throws {
        let path = try NamespacePath(namespace, user: space.user)
        let key = try KeyArgument.bytes(self.key, form.form)
        let value = try PutValue(decoded(bytes()), type)
        let store = try StoreAccess.open(
            self.store.path, create ? .createIfMissing : .openExisting, keys, asks: encrypted)
        let namespace = store.namespace(path)
        try SecretPolicy(keys: keys, encrypts: encrypted).check([namespace])
        if self.value != nil, try namespace.options.isEncrypted { throw SecretPolicy.argumentRefusal(namespace) }
        try store.write(durability: synced ? .synced : .buffered) { (batch) throws(StorageError) in
            try value.store(in: &batch, namespace, key, options)
        }
        try store.close()
    }

    private var options: ValueOptions {
        var options: ValueOptions = []
        if purgeable { options = [options, .purgeable] }
        if encrypted { options = [options, .encrypted] }
        if let expiresAfter { options = [options, .expires(after: expiresAfter.duration)] }
        return options
    }

    /// Returns the bytes that the given form of the value represents. The messages don't repeat the value, which may be
    /// secret.
    private func decoded(_ given: [UInt8]) throws -> [UInt8] {
        guard valueEscaped || valueBase64 else { return given }
        if valueEscaped {
            guard let bytes = Escaping.bytes(ofEscaped: given) else {
                throw ToolFailure.usage(
                    "in the value, a backslash must be followed by xNN, n, r, t or another backslash")
            }
            return bytes
        }
        // Programs that print base64 break its lines and end the last one.
        guard let data = Data(base64Encoded: Data(given.filter { $0 != 0x0a && $0 != 0x0d })) else {
            throw ToolFailure.usage("the value is not base64")
        }
        return Array(data)
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

/// A date in an argument: ISO 8601 with or without fractions of seconds.
struct DateArgument: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        for fractions in [true, false] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fractions)
            // A failure is a normal result here: the caller reports it.
            guard let date = try? style.parse(argument) else { continue }
            self.date = date
            return
        }
        return nil
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
        case .date: DateArgument(argument: trimmed).map { .date($0.date) }
        case .uuid: UUID(uuidString: trimmed).map { .uuid($0) }
        case .url: URL(string: trimmed).map { .url($0) }
        case .json: json(text).map { .json($0) }
        }
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

    var approximateBytes: Int {
        switch self {
        case .string(let value): value.utf8.count
        case .data(let value): value.count
        case .url(let value): value.absoluteString.utf8.count
        default: 16
        }
    }

    /// Adds the value to a batch.
    func store(
        in batch: inout Store.Batch, _ namespace: Store.Namespace, _ key: [UInt8], _ options: ValueOptions
    ) throws(StorageError) {
        switch self {
        case .string(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .data(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .int(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .double(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .bool(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .date(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .uuid(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .url(let value): try batch.set(value, forKey: key, in: namespace, options: options)
        case .json(let value): try batch.set(value, forKey: key, in: namespace, as: .json, options: options)
        }
    }
}
