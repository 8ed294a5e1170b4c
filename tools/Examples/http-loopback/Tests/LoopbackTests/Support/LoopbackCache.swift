import AsyncHTTPClient
import HTTPTypes
import NIOCore
import ShaleHTTP

/// A cache over a store in memory that sends requests to a port of loopback with async-http-client.
struct LoopbackCache {
    let cache: HTTPCache
    let store: Store
    private let client: HTTPClient
    private let port: Int

    /// Runs `body` with a cache, and shuts everything down.
    static func with(
        port: Int, timeout: Duration = .seconds(30), _ change: (inout HTTPCache.Options) -> Void = { _ in },
        _ body: (LoopbackCache) async throws -> Void
    ) async throws {
        var configuration = AsyncHTTPClientTransport.configuration
        configuration.timeout.connect = .seconds(2)
        configuration.timeout.read = .milliseconds(timeout.components.seconds * 1000 + 300)
        let client = HTTPClient(configuration: configuration)
        let store = try Store.inMemory()
        var options = HTTPCache.Options()
        change(&options)
        let cache = try HTTPCache(
            in: store.common["http"], transport: AsyncHTTPClientTransport(client, timeout: timeout), options: options)
        do {
            try await body(LoopbackCache(cache: cache, store: store, client: client, port: port))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
        try await store.close()
    }

    func request(
        _ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, headerFields: fields)
    }

    @discardableResult
    func get(
        _ path: String = "/a", _ fields: HTTPFields = [:], _ directives: RequestDirectives? = nil
    ) async throws -> HTTPAnswer {
        try await cache.response(for: request(path, fields), directives: directives)
    }

    func text(_ path: String = "/a", _ fields: HTTPFields = [:]) async throws -> String {
        String(decoding: try await get(path, fields).body.bytes(upTo: 1 << 24), as: UTF8.self)
    }

    func isStored(_ path: String = "/a") throws -> Bool { try cache.storedResponse(for: request(path)) != nil }
}

/// Returns the code of the error that `body` throws; `nil` if it throws none.
func thrownCode(_ body: () async throws -> Void) async -> HTTPCacheError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? HTTPCacheError)?.code ?? HTTPCacheError.Code(rawValue: "\(error)")
    }
}
