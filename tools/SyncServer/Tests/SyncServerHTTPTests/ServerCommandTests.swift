import AsyncHTTPClient
import Foundation
import HTTPTypes
import ShaleHTTP
import ShaleSync
import SyncServerHTTP
import Testing

/// The command `shale-sync-server` as a process.
@Suite struct ServerCommandTests {
    private let place: Place
    private let token: String
    private let tokens: String

    init() throws {
        place = try Place()
        let line = try ServerProcess.run("token", "ada").output
        token = String(line.prefix { $0 != " " })
        tokens = try place.write(line, to: "tokens")
    }

    /// Runs a cycle of a device with the server on a port.
    private func device(_ port: Int, _ body: (TestDevice) async throws -> Void) async throws {
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration)
        let token = token
        let transport = HTTPSyncTransport(
            scheme: "http", authority: "127.0.0.1:\(port)", over: AsyncHTTPClientTransport(client),
            headerFields: { [.authorization: "Bearer \(token)"] })
        let result = await Result<Void, any Error>.of { try await body(try TestDevice(transport)) }
        try await client.shutdown()
        try result.get()
    }

    @Test func recordsOutliveTheServerAndItEndsWithZero() async throws {
        for round in 0..<2 {
            let server = try ServerProcess(in: place, tokens: tokens)
            try await device(server.port) { device in
                if round == 0 { try await device.todos.insert(ToDo(id: 1, title: "Milk")) }
                try await device.client.synchronise()
                #expect(try device.all() == [ToDo(id: 1, title: "Milk")])
            }
            server.signal(SIGTERM)
            #expect(server.wait() == 0)
        }
        let store = try Store(at: place.path + "/store")
        #expect(store.recovery.replayedBatches == 0)
        try await store.close()
    }

    @Test func tokensAreReadAgainOnSIGHUP() async throws {
        let server = try ServerProcess(in: place, tokens: tokens)
        try await device(server.port) { device in
            try await device.client.synchronise()
            _ = try place.write("# nobody\n", to: "tokens")
            server.signal(SIGHUP)
            var code: SyncError.Code?
            // The signal takes effect at its own time.
            for _ in 0..<10_000 where code == nil {
                do throws(SyncError) { try await device.client.synchronise() } catch { code = error.code }
            }
            #expect(code == .refused)
        }
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    @Test func aUserIsRemoved() async throws {
        for isRemoved in [false, true] {
            let server = try ServerProcess(in: place, tokens: tokens)
            try await device(server.port) { device in
                if !isRemoved { try await device.todos.insert(ToDo(id: 1, title: "Milk")) }
                try await device.client.synchronise()
                #expect(try device.all().isEmpty == isRemoved)
            }
            server.signal(SIGTERM)
            #expect(server.wait() == 0)
            #expect(try ServerProcess.run("remove-user", place.path + "/store", "ada").code == 0)
        }
    }

    @Test func mistakesHaveTheirExitCodes() throws {
        let store = place.path + "/store"
        let usage = try ServerProcess.run(store)
        #expect(usage.code == 64 && usage.errors.contains("--tokens"))
        #expect(try ServerProcess.run(store, "--tokens", tokens, "--base", "sync").code == 64)
        #expect(try ServerProcess.run("token", "a\nb").code == 64)
        let broken = try place.write("short ada\n", to: "broken")
        let malformed = try ServerProcess.run(store, "--tokens", broken)
        #expect(malformed.code == 65 && malformed.errors.contains("broken:1:"))
        #expect(try ServerProcess.run(store, "--tokens", place.path + "/missing").code == 5)
        #expect(try ServerProcess.run("remove-user", place.path + "/none", "ada").code == 5)
        let server = try ServerProcess(in: place, tokens: tokens)
        #expect(try ServerProcess.run(store, "--tokens", tokens, "--port", "0").code == 3)
        let taken = try ServerProcess.run(place.path + "/other", "--tokens", tokens, "--port", "\(server.port)")
        #expect(taken.code == 5)
        server.signal(SIGINT)
        #expect(server.wait() == 0)
    }

    @Test func aTokenIsALineWithANewSecret() throws {
        let lines = try (0..<2).map { _ in try ServerProcess.run("token", "Grace Hopper").output }
        #expect(lines[0] != lines[1])
        for line in lines { #expect(line.hasSuffix(" Grace Hopper\n") && line.utf8.count == 64 + 14) }
    }
}
