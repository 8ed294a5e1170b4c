import HTTPTypes
import NIOCore
import ShaleSync
import SyncServerHTTP
import Testing

/// Requests that are no calls, and the limits of HTTP.
@Suite struct RequestTests {
    private static let type: HTTPFields = [.contentType: "application/json"]
    private static let user: HTTPFields = [.authorization: "Bearer token-of-ada", .contentType: "application/json"]
    private static let pull = #"{"client":"c","collections":[{"name":"todos"}]}"#

    @Test func errorsHaveAWordAndAStatus() async throws {
        try await RunningServer.with { server in
            let path = "/v1/pull"
            let unknown = try await server.send(.post, path, Self.type, body: Array(Self.pull.utf8))
            #expect(unknown.status == 401 && unknown.error == "unauthenticated")
            #expect(unknown.fields[.wwwAuthenticate] == "Bearer")
            let forbidden = try await server.call(.pull, Self.pull, user: "mallory")
            #expect(forbidden.status == 403 && forbidden.error == "forbidden")
            let method = try await server.send(.get, path, Self.user)
            #expect(method.status == 405 && method.error == "methodNotAllowed" && method.fields[.allow] == "POST")
            let plain = try await server.send(.post, path, [.authorization: "Bearer token-of-ada"], body: [0x7B])
            #expect(plain.status == 415 && plain.error == "unsupportedMediaType")
            let missing = try await server.send(.post, "/v2/pull", Self.user)
            #expect(missing.status == 404 && missing.error == "notFound")
            let malformed = try await server.call(.pull, "{")
            #expect(malformed.status == 400 && malformed.error == "malformed")
            let epoch = try await server.call(
                .push, #"{"client":"c","epoch":"e","number":1,"nonce":"n","changes":[]}"#)
            #expect(epoch.status == 409 && epoch.error == "epoch")
            let answered = try await server.call(.pull, Self.pull)
            #expect(answered.status == 200 && answered.fields[.contentType] == "application/json")
            #expect(answered.fields[.cacheControl] == "no-store")
        }
    }

    @Test func aBodyOverTheLimitIsRefused() async throws {
        try await RunningServer.with { server in
            let head =
                "POST /v1/push HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-of-ada\r\n"
                + "Content-Type: application/json\r\n"
            let stated = try await RawConnection(port: server.port)
            try await stated.send(head + "Content-Length: \(SyncLimits.messageBytes + 1)\r\n\r\n{")
            #expect(try await stated.end().hasPrefix("HTTP/1.1 413 "))
            let chunked = try await server.send(
                .post, "/v1/push", Self.user, body: [UInt8](repeating: 0x20, count: SyncLimits.messageBytes))
            #expect(chunked.status == 400)
        }
    }

    @Test func aHeadOverTheLimitIsRefused() async throws {
        try await RunningServer.with { server in
            let connection = try await RawConnection(port: server.port)
            let field = "X: \(String(repeating: "x", count: 20_000))\r\n"
            try await connection.send("GET /health HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            #expect(try await connection.end().hasPrefix("HTTP/1.1 400 "))
            let fields = (0..<100).map { "X-\($0): x\r\n" }.joined()
            let second = try await RawConnection(port: server.port)
            try await second.send("GET /health HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            #expect(try await second.end().hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func aCallThatTakesTooLongIsEnded() async throws {
        try await RunningServer.with {
            $0.callSeconds = 1
        } _: { server in
            let connection = try await RawConnection(port: server.port)
            try await connection.send(
                "POST /v1/push HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer token-of-ada\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            _ = try await connection.end()
            #expect(try await server.send(.get, "/health").status == 200)
        }
    }

    @Test func aConnectionWithoutARequestIsClosed() async throws {
        try await RunningServer.with {
            $0.idleSeconds = 1
        } _: { server in
            let connection = try await RawConnection(port: server.port)
            try await connection.send("GET /hea")
            #expect(try await connection.end() == "")
        }
    }

    @Test func callsOverTheLimitAreTurnedAwayAndTheirSlotsReturn() async throws {
        let gate = Gate()
        try await RunningServer.with(authenticator: gate) {
            $0.calls = 1
        } _: { server in
            async let first = server.call(.pull, Self.pull)
            await gate.waitForCall()
            let second = try await server.call(.pull, Self.pull)
            #expect(second.status == 503 && second.error == "busy" && second.fields[.retryAfter] == "1")
            gate.open()
            #expect(try await first.status == 200)
            // A slot returns when the response is written, which may be after the client has read it.
            for _ in 0..<3 {
                var (status, tries) = (503, 0)
                while status == 503, tries < 10_000 {
                    status = try await server.call(.pull, Self.pull).status
                    tries += 1
                }
                #expect(status == 200)
            }
        }
    }

    @Test func theServerTellsWhetherItIsHealthyAndWhatItSpeaks() async throws {
        try await RunningServer.with { server in
            let health = try await server.send(.get, "/health")
            #expect(health.status == 200 && health.body == Array(#"{"status":"ok"}"#.utf8))
            #expect(try await server.send(.head, "/health").body.isEmpty)
            #expect(try await server.send(.post, "/health").status == 405)
            #expect(try await server.send(.get, "/openapi.json").body == SyncService.openAPI)
        }
    }
}

/// Lets the first call wait until it is opened.
private final class Gate: SyncAuthenticator {
    private let arrival = AsyncStream<Void>.makeStream()
    private let opening = AsyncStream<Void>.makeStream()

    func identify(_ fields: HTTPFields) async throws -> SyncIdentity {
        arrival.continuation.yield()
        for await _ in opening.stream { break }
        return .user("ada")
    }

    func waitForCall() async { for await _ in arrival.stream { return } }

    func open() { opening.continuation.finish() }
}
