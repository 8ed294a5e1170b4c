import HTTPTypes
import Posix
import SyncServerHTTP
import Testing

/// The file of tokens.
@Suite struct BearerTokensTests {
    private static let first = String(repeating: "a1", count: 32)
    private static let second = String(repeating: "-._~+/=B", count: 8)

    private let place: Place

    init() throws { place = try Place() }

    private func identity(_ tokens: BearerTokens, _ field: String?) async throws -> SyncIdentity {
        var fields = HTTPFields()
        fields[.authorization] = field
        return try await tokens.identify(fields)
    }

    @Test func aTokenTellsItsUser() async throws {
        let path = try place.write(
            "# the tokens\n\n\(Self.first) ada\r\n  \(Self.second)\t Grace Hopper \n\(Self.second)x ada", to: "tokens")
        let tokens = try BearerTokens(path: path)
        #expect(try await identity(tokens, "Bearer \(Self.first)") == .user("ada"))
        #expect(try await identity(tokens, "bearer  \(Self.second)") == .user("Grace Hopper"))
        #expect(try await identity(tokens, "Bearer \(Self.second)x") == .user("ada"))
        let others = [
            nil, "", "Bearer", "Bearer ", "Basic \(Self.first)", Self.first, "Bearer \(Self.first) x",
            "Bearer \(Self.first)x", "Bearer \(Self.first.dropLast())", "Bearer #", "Bearer ada",
        ]
        for field in others { #expect(try await identity(tokens, field) == .unknown, "\(field ?? "-")") }
    }

    @Test func theFileIsReadAgainAndABrokenOneChangesNothing() async throws {
        let path = try place.write("\(Self.first) ada\n", to: "tokens")
        let tokens = try BearerTokens(path: path)
        _ = try place.write("\(Self.second) grace\n", to: "tokens")
        #expect(try await identity(tokens, "Bearer \(Self.first)") == .user("ada"))
        #expect(try tokens.reload() == 1)
        #expect(try await identity(tokens, "Bearer \(Self.first)") == .unknown)
        _ = try place.write("broken\n", to: "tokens")
        #expect(throws: BearerTokensError.self) { try tokens.reload() }
        #expect(try await identity(tokens, "Bearer \(Self.second)") == .user("grace"))
    }

    private static let malformed = [
        "short ada", first, first + " ", first + "ü ada", "\(first.dropLast(33)) ada",
    ]

    @Test(arguments: BearerTokensTests.malformed)
    func aLineThatIsNoTokenIsNamedWithoutItsContent(_ line: String) throws {
        let path = try place.write("# one\n\(line)\n", to: "tokens")
        do throws(BearerTokensError) {
            _ = try BearerTokens(path: path)
            Issue.record("it was taken")
        } catch {
            #expect(error.description.contains("tokens:2:"))
            #expect(!error.description.contains("a1a1"))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620] as [mode_t])
    func aFileThatOthersReachIsRefused(_ mode: mode_t) throws {
        let path = try place.write("\(Self.first) ada\n", to: "tokens", mode: mode)
        #expect(throws: BearerTokensError.self) { try BearerTokens(path: path) }
    }

    @Test func linksAndDirectoriesAndPipesAreRefused() throws {
        let path = try place.write("\(Self.first) ada\n", to: "tokens")
        #expect(unsafe symlink(path, place.path + "/link") == 0)
        #expect(unsafe mkfifo(place.path + "/pipe", 0o600) == 0)
        for name in ["link", "pipe", ".", "missing"] {
            #expect(throws: BearerTokensError.self, "\(name)") { try BearerTokens(path: place.path + "/" + name) }
        }
    }
}
