import Shale
import ShaleBase

/// The content of one line of a dump. Borrows the line and the buffers that it was read with.
enum DumpLine {
    case store(StoreLine)
    case namespace(NamespaceLine)
    case entry(EntryLine)
    /// The last line: the number of entries.
    case end(Int64)

    struct StoreLine {
        var version: Int64 = 0
        var nextNamespace: Int64 = 0
        /// The path of the dumped namespace, empty for a space; `nil` in a dump of a whole store.
        var root: [String]?
        var user: String?
    }

    struct NamespaceLine {
        var id: Int64 = 0
        var name: [UInt8]?
        var user: String?
        var path: [String] = []
        var options: [UInt8] = []

        /// The name in the catalogue.
        var catalogueName: [UInt8] {
            name ?? NamespaceName(owner: user.map { .user($0) } ?? .common, components: path).bytes
        }
    }

    struct EntryLine {
        var key = Bytes.empty
        /// The value as the engine stores it.
        var value = Bytes.empty
        var isPurgeable = false
        var expiry: Int64?
    }
}

/// Reads lines of a dump. The result is valid until the next line is read.
struct DumpReader: ~Copyable {
    private var keyBuffer = ByteBuffer()
    private var textBuffer = ByteBuffer()
    private var valueBuffer = ByteBuffer()

    mutating func read(_ line: Bytes) throws(ParseFailure) -> DumpLine {
        var scanner = JSONScanner(line)
        try scanner.require(UInt8(ascii: "{"))
        let first = try scanner.name()
        if first == "shaleDump" { return .store(try store(&scanner)) }
        if first == "namespace" { return .namespace(try namespace(&scanner)) }
        if first == "end" {
            let count = try scanner.integer()
            try end(&scanner)
            return .end(count)
        }
        return .entry(try entry(&scanner, first))
    }

    private func end(_ scanner: inout JSONScanner) throws(ParseFailure) {
        try scanner.require(UInt8(ascii: "}"))
        try scanner.requireEnd()
    }

    /// Returns the error for an unknown member. The error does not repeat the name, which may be any text of the dump.
    private func unknown(_ scanner: JSONScanner) -> ParseFailure {
        ParseFailure("an unknown member, column \(scanner.index)")
    }

    private mutating func bytes(_ scanner: inout JSONScanner) throws(ParseFailure) -> [UInt8] {
        var decoded = ByteBuffer()
        guard try scanner.base64(into: &decoded, &textBuffer) else {
            throw ParseFailure("a value is not base64")
        }
        return decoded.bytes.array()
    }

    private mutating func store(_ scanner: inout JSONScanner) throws(ParseFailure) -> DumpLine.StoreLine {
        var line = DumpLine.StoreLine()
        line.version = try scanner.integer()
        while scanner.passes(UInt8(ascii: ",")) {
            let name = try scanner.name()
            if name == "nextNamespace" {
                line.nextNamespace = try scanner.integer()
            } else if name == "root" {
                line.root = try path(&scanner)
            } else if name == "user" {
                line.user = try user(&scanner)
            } else {
                throw unknown(scanner)
            }
        }
        try end(&scanner)
        return line
    }

    private mutating func namespace(_ scanner: inout JSONScanner) throws(ParseFailure) -> DumpLine.NamespaceLine {
        var line = DumpLine.NamespaceLine()
        line.id = try scanner.integer()
        while scanner.passes(UInt8(ascii: ",")) {
            let name = try scanner.name()
            if name == "path" {
                line.path = try path(&scanner)
            } else if name == "user" {
                line.user = try user(&scanner)
            } else if name == "name64" {
                line.name = try bytes(&scanner)
            } else if name == "options64" {
                line.options = try bytes(&scanner)
            } else {
                throw unknown(scanner)
            }
        }
        try end(&scanner)
        guard line.name != nil || !line.path.isEmpty else { throw ParseFailure("a namespace has no name") }
        return line
    }

    private func path(_ scanner: inout JSONScanner) throws(ParseFailure) -> [String] {
        try scanner.strings(
            countMax: FormatLimits.namespaceNameBytes / 2, bytesMax: FormatLimits.namespaceNameBytes)
    }

    private mutating func user(_ scanner: inout JSONScanner) throws(ParseFailure) -> String {
        let text = try scanner.string(&textBuffer)
        guard text.count <= FormatLimits.namespaceNameBytes,
            let user = unsafe String(validating: text.buffer, as: UTF8.self)
        else { throw ParseFailure("a user is too long or not UTF-8") }
        return user
    }

    private mutating func entry(
        _ scanner: inout JSONScanner, _ first: Bytes
    ) throws(ParseFailure) -> DumpLine.EntryLine {
        var line = DumpLine.EntryLine()
        var name = first
        var hasKey = false
        var hasValue = false
        var codec: UInt8 = 0
        repeat {
            if name == "k" {
                line.key = try scanner.string(&keyBuffer)
                hasKey = true
            } else if name == "c" {
                guard let number = UInt8(exactly: try scanner.integer()), number > 0 else {
                    throw ParseFailure("a codec is out of bounds")
                }
                codec = number
            } else if name == "v" || name == "i" || name == "v64" || name == "raw64" {
                try value(name, codec, &scanner)
                line.value = valueBuffer.bytes
                hasValue = true
            } else if name == "k64" {
                keyBuffer.removeAll()
                guard try scanner.base64(into: &keyBuffer, &textBuffer) else {
                    throw ParseFailure("a key is not base64")
                }
                line.key = keyBuffer.bytes
                hasKey = true
            } else if name == "purgeable" {
                line.isPurgeable = try boolean(&scanner)
            } else if name == "expires" {
                line.expiry = try scanner.integer()
            } else {
                throw unknown(scanner)
            }
            guard scanner.passes(UInt8(ascii: ",")) else { break }
            name = try scanner.name()
        } while true
        try end(&scanner)
        guard hasKey, hasValue else { throw ParseFailure("an entry has no \(hasKey ? "value" : "key")") }
        return line
    }

    private func boolean(_ scanner: inout JSONScanner) throws(ParseFailure) -> Bool {
        let isTrue = scanner.passes(UInt8(ascii: "t"))
        for character in isTrue ? "rue".utf8 : "false".utf8 { try scanner.require(character) }
        return isTrue
    }

    /// Puts the value with its header into its buffer.
    private mutating func value(
        _ name: Bytes, _ codec: UInt8, _ scanner: inout JSONScanner
    ) throws(ParseFailure) {
        valueBuffer.removeAll()
        if name != "raw64" {
            guard codec > 0 else { throw ParseFailure("a value precedes its codec") }
            valueBuffer.append(codec)
            valueBuffer.append(0 as UInt8)
        }
        if name == "v" {
            valueBuffer.append(try scanner.string(&textBuffer))
        } else if name == "i" {
            valueBuffer.append(try scanner.integer())
        } else if try !scanner.base64(into: &valueBuffer, &textBuffer) {
            throw ParseFailure("a value is not base64")
        }
    }
}

extension Bytes {
    fileprivate static func == (bytes: Bytes, text: StaticString) -> Bool {
        unsafe bytes == Bytes(start: UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
    }

    fileprivate static func != (bytes: Bytes, text: StaticString) -> Bool { !(bytes == text) }
}
