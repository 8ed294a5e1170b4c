import AsyncHTTPClient
import HTTPTypes
import Logging
import NIOCore
import ServiceLifecycle
import ShaleHTTP
import ShaleSync
import ShaleSyncServer
import SyncServerHTTP

/// Tokens of the tests: `token-of-ada` is ada's.
struct TestTokens: SyncAuthenticator {
    func identify(_ fields: HTTPFields) async throws -> SyncIdentity {
        guard let field = fields[.authorization], field.hasPrefix("Bearer token-of-") else { return .unknown }
        let user = String(field.dropFirst("Bearer token-of-".count))
        if user == "trouble" { throw TestFailure() }
        return user == "mallory" ? .forbidden : .user(user)
    }
}

struct TestFailure: Error {}

/// A server in this process on a port of loopback, and the means to call it.
struct RunningServer {
    struct Answer {
        let status: Int
        let fields: HTTPFields
        let body: [UInt8]

        /// The word of an error reply.
        var error: String? { try? TestJSON(body)["error"]?.text }
    }

    let port: Int
    let service: SyncService
    let client: HTTPClient

    /// Runs a server while `body` runs.
    static func with(
        authenticator: any SyncAuthenticator = TestTokens(), rules: SyncServer.Options = SyncServer.Options(),
        _ change: (inout SyncServiceOptions) -> Void = { _ in }, _ body: (RunningServer) async throws -> Void
    ) async throws {
        var options = SyncServiceOptions(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        options.port = 0
        change(&options)
        let store = try Store.inMemory()
        let (ports, port) = AsyncStream<Int>.makeStream()
        let service = SyncService(store, authenticator: authenticator, rules: rules, options: options) {
            port.yield($0)
        }
        let group = ServiceGroup(services: [service], logger: options.logger)
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration)
        let result = await Result<Void, any Error>.of {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { port.finish() }
                    try await group.run()
                }
                for await number in ports {
                    let result = await Result<Void, any Error>.of {
                        try await body(RunningServer(port: number, service: service, client: client))
                    }
                    await group.triggerGracefulShutdown()
                    try result.get()
                    break
                }
                try await tasks.waitForAll()
            }
        }
        try await client.shutdown()
        try await store.close()
        try result.get()
    }

    func transport(_ user: String, path: String = "") -> HTTPSyncTransport {
        HTTPSyncTransport(
            scheme: "http", authority: "127.0.0.1:\(port)", path: path, over: AsyncHTTPClientTransport(client),
            headerFields: { [.authorization: "Bearer token-of-\(user)"] })
    }

    /// Sends a request that no client of ShaleSync sends.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], body: [UInt8] = []
    ) async throws -> Answer {
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
        let reply = try await AsyncHTTPClientTransport(client).send(request, body: body)
        return Answer(
            status: reply.head.status.code, fields: reply.head.headerFields,
            body: try await reply.body.bytes(upTo: 1 << 24))
    }

    /// Sends a body as a call of a user.
    func call(_ call: SyncCall, _ body: String, user: String = "ada") async throws -> Answer {
        try await send(
            .post, "/\(call.path)", [.authorization: "Bearer token-of-\(user)", .contentType: "application/json"],
            body: Array(body.utf8))
    }
}

extension Result where Failure == any Error {
    static func of(_ body: () async throws -> Success) async -> Result {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
