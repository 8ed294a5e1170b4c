import HTTPTypes
import Hummingbird
import Logging
import ShaleHTTP
import Synchronization
import Testing

/// A server that keeps the rules, and counts its requests.
private final class Origin: Sendable {
    let count = Mutex<[String: Int]>([:])

    func requests(_ path: String) -> Int { count.withLock { $0[path] ?? 0 } }

    private func note(_ path: String) { count.withLock { $0[path, default: 0] += 1 } }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/document") { [self] request, _ -> Response in
            note("/document")
            let fields: HTTPFields = [.eTag: "\"v1\"", .cacheControl: "max-age=0"]
            if request.headers[.ifNoneMatch] == "\"v1\"" { return Response(status: .notModified, headers: fields) }
            return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: "document")))
        }
        router.put("/document") { [self] _, _ -> HTTPResponse.Status in
            note("PUT /document")
            return .noContent
        }
        router.get("/fresh") { [self] _, _ -> Response in
            note("/fresh")
            return Response(
                status: .ok, headers: [.cacheControl: "max-age=600"],
                body: .init(byteBuffer: ByteBuffer(string: "fresh")))
        }
        router.get("/variant") { [self] request, _ -> Response in
            note("/variant")
            return Response(
                status: .ok, headers: [.cacheControl: "max-age=600", .vary: "Accept"],
                body: .init(byteBuffer: ByteBuffer(string: request.headers[.accept] ?? "")))
        }
        router.get("/skewed") { _, _ -> Response in
            // A day behind, and fresh for an hour by this clock.
            Response(
                status: .ok,
                headers: [
                    .date: "Tue, 14 Nov 2023 00:00:00 GMT", .expires: "Tue, 14 Nov 2023 01:00:00 GMT",
                ], body: .init(byteBuffer: ByteBuffer(string: "skewed")))
        }
        router.get("/slow") { [self] _, _ -> Response in
            note("/slow")
            return Response(
                status: .ok, headers: [.cacheControl: "max-age=600"],
                body: .init { writer in
                    for number in 0..<20 {
                        try await writer.write(ByteBuffer(string: "chunk \(number)\n"))
                        await Task.yield()
                    }
                    try await writer.finish(nil)
                })
        }
        router.get("/large") { _, _ -> Response in
            Response(
                status: .ok, headers: [.cacheControl: "max-age=600"],
                body: .init { writer in
                    for _ in 0..<64 { try await writer.write(ByteBuffer(repeating: 7, count: 1 << 16)) }
                    try await writer.finish(nil)
                })
        }
        return router
    }

    /// Runs `body` with the port of a running server.
    func run(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let logger = Logger(label: "origin") { _ in SwiftLogNoOpLogHandler() }
        let application = Application(
            router: router(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await number in ports {
                try await body(number)
                break
            }
            group.cancelAll()
        }
    }
}

@Suite struct ServedCacheTests {
    @Test func responsesAreStoredValidatedAndInvalidated() async throws {
        let origin = Origin()
        try await origin.run { port in
            try await LoopbackCache.with(port: port) { (cache) async throws in
                for _ in 0..<3 { #expect(try await cache.text("/fresh") == "fresh") }
                #expect(origin.requests("/fresh") == 1)
                #expect(try await cache.text("/document") == "document")
                let answer = try await cache.get("/document")
                #expect(answer.cacheStatus.forwardStatus == 304 && answer.head.status == .ok)
                _ = try await cache.cache.response(for: cache.request("/document", method: .put), body: [1, 2, 3])
                #expect(try await cache.get("/document").cacheStatus.forward == .uriMiss)
            }
        }
    }

    @Test func aResponseOfAClockThatIsBehindIsStale() async throws {
        try await Origin().run { port in
            try await LoopbackCache.with(port: port) { (cache) async throws in
                #expect(try await cache.text("/skewed") == "skewed")
                #expect(try !cache.isStored("/skewed"))
            }
        }
    }

    @Test func equalRequestsAreSentOnceAndOthersEach() async throws {
        let origin = Origin()
        try await origin.run { port in
            try await LoopbackCache.with(port: port) { (cache) async throws in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<50 { group.addTask { try await cache.text("/slow") } }
                    for try await text in group { #expect(text.hasSuffix("chunk 19\n")) }
                }
                // A request that begins after the end of the flight is a hit.
                #expect(origin.requests("/slow") == 1)
            }
        }
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        try await Origin().run { port in
            try await LoopbackCache.with(port: port) {
                $0.bodyBytesMax = 1 << 20
            } _: { (cache) async throws in
                let answer = try await cache.get("/large")
                #expect(answer.body.bytesInMemory == nil)
                #expect(try await answer.body.bytes(upTo: 1 << 23).count == 64 << 16)
                #expect(try !cache.isStored("/large"))
            }
        }
    }

    @Test func tenThousandVariantsTakeTheRoomOfAFew() async throws {
        let origin = Origin()
        try await origin.run { port in
            try await LoopbackCache.with(port: port) { (cache) async throws in
                for number in 0..<10_000 {
                    #expect(try await cache.text("/variant", [.accept: "a/\(number)"]) == "a/\(number)")
                }
                #expect(origin.requests("/variant") == 10_000)
                #expect(try cache.cache.namespace.count() <= 2 + cache.cache.options.variantsMax)
            }
        }
    }
}
