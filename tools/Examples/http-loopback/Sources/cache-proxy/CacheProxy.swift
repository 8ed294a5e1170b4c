// A private cache between any HTTP client and an origin, so that tests that were written for browsers and proxies can
// be sent to it. `tools/cache-tests` does that. Not for use by several people: a private cache has one user.
import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ShaleHTTP

@main
struct CacheProxy {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            print("usage: cache-proxy PORT ORIGIN, for example cache-proxy 8002 127.0.0.1:8000")
            return
        }
        let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration)
        let store = try Store.inMemory()
        let cache = try HTTPCache(in: store.common["http"], transport: AsyncHTTPClientTransport(client))
        var logger = Logger(label: "cache-proxy")
        logger.logLevel = .error
        let application = Application(
            responder: Responder(cache: cache, origin: arguments[2]),
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in print("ready") }, logger: logger)
        try await application.run()
        try await client.shutdown()
        try await store.close()
    }
}

private struct Responder: HTTPResponder {
    struct Context: InitializableFromSource {
        init(source: ApplicationRequestContextSource) {}
    }

    /// Fields that concern a connection, and the length, which the next connection has its own of.
    private static let connectionFields: [HTTPField.Name] = [
        .connection, .transferEncoding, .contentLength, .te, .upgrade,
    ]
    private static let bodyBytesMax = 1 << 24

    let cache: HTTPCache
    let origin: String

    func respond(to request: Request, context: Context) async throws -> Response {
        var head = request.head
        head.scheme = "http"
        head.authority = origin
        for name in Responder.connectionFields { head.headerFields[name] = nil }
        let body = [UInt8](buffer: try await request.body.collect(upTo: Responder.bodyBytesMax))
        do {
            return try await response(to: head, body)
        } catch let error as HTTPCacheError {
            return Response(
                status: .badGateway, headers: [.cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(error)\n")))
        }
    }

    private func response(to request: HTTPRequest, _ body: [UInt8]) async throws -> Response {
        let answer = try await cache.response(for: request, body: body)
        var fields = answer.head.headerFields
        for name in Responder.connectionFields { fields[name] = nil }
        if let name = HTTPField.Name("Cache-Status") {
            fields[name] = try CacheStatus.fieldValue([answer.cacheStatus])
        }
        let content = try await answer.body.bytes(upTo: Responder.bodyBytesMax)
        return Response(
            status: answer.head.status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: content)))
    }
}
