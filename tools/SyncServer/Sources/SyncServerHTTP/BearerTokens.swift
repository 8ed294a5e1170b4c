public import HTTPTypes
import Posix
import Synchronization

/// Bearer tokens (RFC 6750) from a file, each with the id of its user.
///
/// A line of the file is a token, spaces, and the id. Empty lines and those that begin with `#` are skipped. A user may
/// have several tokens. The file must be regular, belong to the user of the process or to root, and be closed to all
/// others: mode 0600. Thread-safe.
public final class BearerTokens: SyncAuthenticator {
    private struct Entry: Sendable {
        let token: [UInt8]
        let user: String
    }

    /// The shortest token, in characters.
    public static let tokenMin = 32
    private static let tokenMax = 512
    private static let fileBytes = 16 << 20

    private let path: String
    private let entries: Mutex<[Entry]>

    /// Reads a file of tokens.
    ///
    /// - Throws: ``BearerTokensError``.
    public init(path: String) throws(BearerTokensError) {
        self.path = path
        entries = Mutex(try BearerTokens.read(path))
    }

    /// Reads the file again. If that fails, the tokens stay as they were.
    ///
    /// - Returns: The number of tokens.
    @discardableResult
    public func reload() throws(BearerTokensError) -> Int {
        let new = try BearerTokens.read(path)
        entries.withLock { $0 = new }
        return new.count
    }

    public func identify(_ fields: HTTPFields) async throws -> SyncIdentity {
        guard let field = fields[.authorization] else { return .unknown }
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .unknown }
        let token = Array(parts[1].utf8)
        let entries = entries.withLock { $0 }
        // Every token is compared to its end, so the time tells nothing of how much agrees.
        var user: String?
        for entry in entries where BearerTokens.isEqual(entry.token, token) { user = entry.user }
        return user.map { .user($0) } ?? .unknown
    }

    private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // MARK: The file

    private static func read(_ path: String) throws(BearerTokensError) -> [Entry] {
        let bytes = try content(path)
        guard bytes.count <= fileBytes else { throw .malformed("\(path) is over \(fileBytes) bytes") }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformed("\(path) is not UTF-8") }
        var entries: [Entry] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let trimmed = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" || $0 == "\r" }
            if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
            guard let entry = entry(trimmed) else {
                throw .malformed(
                    "\(path):\(number): a line is a token of \(tokenMin) to \(tokenMax) letters, digits and -._~+/=, "
                        + "spaces, and the id of a user of at most 512 bytes")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ line: Substring) -> Entry? {
        let token = line.prefix { $0 != " " && $0 != "\t" }
        let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var user = line[token.endIndex...].drop(while: blanks)
        while let last = user.last, blanks(last) { user.removeLast() }
        guard tokenMin...tokenMax ~= token.utf8.count, token.utf8.allSatisfy(isTokenByte) else { return nil }
        guard 1...512 ~= user.utf8.count else { return nil }
        return Entry(token: Array(token.utf8), user: String(user))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    /// Reads a private file, neither through a link nor from anything that could make this wait.
    private static func content(_ path: String) throws(BearerTokensError) -> [UInt8] {
        let descriptor = try openChecked(path, O_RDONLY | O_NOFOLLOW, { BearerTokensError.unreadable("\($0)") }) {
            (status) throws(BearerTokensError) in
            guard status.privateFileProblem == nil else {
                throw .unreadable("\(path): a file of tokens is a regular file, your own or root's, and of mode 0600")
            }
        }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        do throws(SystemCallError) {
            while bytes.count <= fileBytes {
                guard try readMore(into: &bytes, upTo: 64 << 10, from: descriptor, named: path) else { break }
            }
        } catch {
            throw .unreadable("\(error)")
        }
        return bytes
    }
}

/// The reason for which a file of tokens is not used. Contains no token.
public enum BearerTokensError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file can't be read, or others could read it.
    case unreadable(String)
    /// A line is malformed.
    case malformed(String)

    public var description: String {
        switch self {
        case .unreadable(let message), .malformed(let message): message
        }
    }
}
