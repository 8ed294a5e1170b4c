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
