import ArgumentParser
import ShaleEngine

/// A namespace in an argument: levels separated by slashes, in the common space or a user's.
struct NamespacePath: Hashable {
    let user: String?
    let components: [String]

    init(user: String?, components: [String]) {
        self.user = user
        self.components = components
    }

    /// The maximum size of a name in the catalogue: Shale.docc, "Names and options of namespaces".
    private static let bytesMax = 4096

    init(_ text: String, user: String?) throws {
        // Each byte may be escaped as three. Checked before the text is split.
        guard text.utf8.count + (user?.utf8.count ?? 0) <= 3 * Self.bytesMax else {
            throw ToolFailure.usage("the namespace is longer than \(Self.bytesMax) bytes")
        }
        self.user = user
        components = try text.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard !part.isEmpty else { throw ToolFailure.usage("the namespace \"\(text)\" has an empty level") }
            return try Self.unescaped(part, in: text)
        }
    }

    func appending(_ component: String) -> NamespacePath {
        NamespacePath(user: user, components: components + [component])
    }

    /// The text from which `init(_:user:)` makes the same path.
    var text: String {
        components.map { $0.replacing("%", with: "%25").replacing("/", with: "%2F") }.joined(separator: "/")
    }

    private static func unescaped(_ part: Substring, in text: String) throws -> String {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
                throw ToolFailure.usage("in the namespace \"\(text)\", % must be followed by two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw ToolFailure.usage("the namespace \"\(text)\" is not UTF-8")
        }
        return name
    }
}

/// A number of bytes in an argument: digits, optionally followed by a unit of powers of 1024.
struct ByteCountArgument: ExpressibleByArgument, Equatable {
    let bytes: UInt64

    init?(argument: String) {
        let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = UInt64(unit == nil ? argument[...] : argument.dropLast()), number > 0 else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        if overflows { return nil }
        self.bytes = bytes
    }
}

/// The compression of the data that a command writes.
struct CompressionOption: ParsableArguments {
    @Option(help: "none, lz4, zstd, or zstd with a level from -5 to 19, as in zstd:9.")
    var compression = CompressionArgument(value: .zstd(level: 1))

    var engineOptions: Engine.Options {
        var options = Engine.Options()
        options.lastCompression = compression.value
        return options
    }
}

struct CompressionArgument: ExpressibleByArgument {
    let value: Engine.Options.Compression

    init(value: Engine.Options.Compression) { self.value = value }

    init?(argument: String) {
        switch argument {
        case "none": value = .none
        case "lz4": value = .lz4
        case "zstd": value = .zstd(level: 1)
        default:
            guard argument.hasPrefix("zstd:"), let level = Int(argument.dropFirst(5)) else { return nil }
            value = .zstd(level: level)
        }
    }

    var defaultValueDescription: String { "zstd:1" }
}

/// Asks for confirmation before a destructive operation that can't be undone.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    /// Returns if the user at the terminal confirms `deed`, or if `--yes` was given. Throws otherwise.
    func obtain(_ deed: Shown) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw ToolFailure.usage("this \(deed.text): add --yes to confirm") }
        Terminal.emit("This \(deed). Continue? [y/N] ")
        let answer = (readLine() ?? "").lowercased()
        guard answer == "y" || answer == "yes" else { throw ToolFailure.declined() }
    }
}
