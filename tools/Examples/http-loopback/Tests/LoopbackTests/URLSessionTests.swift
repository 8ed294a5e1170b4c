#if SHALE_ADAPTERS || canImport(Darwin)
    import HTTPTypes
    import ShaleHTTP
    import Testing

    /// The transport over URLSession.
    @Suite struct URLSessionTests {
        private func with(
            _ answers: [RawServer.Step]..., body: (HTTPCache, RawServer) async throws -> Void
        ) async throws {
            let server = try await RawServer.start(answers)
            let store = try Store.inMemory()
            try await body(try HTTPCache(in: store.common["http"], transport: URLSessionTransport()), server)
            try await server.stop()
            try await store.close()
        }

        private func request(_ server: RawServer) -> HTTPRequest {
            HTTPRequest(
                method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/a",
                headerFields: [.accept: "x"])
        }

        @Test func aResponseIsStoredAndValidated() async throws {
            try await with(
                [.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=0\r\nETag: \"1\"\r\nContent-Length: 3\r\n\r\nabc")],
                [.write("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")]
            ) { (cache, server) async throws in
                let first = try await cache.response(for: request(server))
                #expect(try await first.body.bytes(upTo: 100) == Array("abc".utf8))
                let second = try await cache.response(for: request(server))
                #expect(second.cacheStatus.forwardStatus == 304 && second.head.status == .ok)
                #expect(server.requests.last?.lowercased().contains("if-none-match: \"1\"") == true)
                #expect(server.requests.first?.lowercased().contains("accept: x") == true)
            }
        }

        @Test func aRedirectionIsNotFollowed() async throws {
            try await with(
                [.write("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
            ) { (cache, server) async throws in
                #expect(try await cache.response(for: request(server)).head.status == .found)
                #expect(server.requests.count == 1)
            }
        }

        @Test func aBodyThatIsCutIsAnError() async throws {
            try await with(
                [
                    .write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 100\r\n\r\nten bytes."),
                    .close,
                ]
            ) { (cache, server) async throws in
                #expect(await thrownCode { _ = try await cache.response(for: request(server)) } != nil)
                #expect(try cache.storedResponse(for: request(server)) == nil)
            }
        }

        @Test func aLargeBodyArrivesWhole() async throws {
            let body = String(repeating: "0123456789abcdef", count: 1 << 19)
            try await with(
                [.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)]
            ) { (cache, server) async throws in
                let answer = try await cache.response(for: request(server))
                #expect(try await answer.body.bytes(upTo: 1 << 24) == Array(body.utf8))
            }
        }

        @Test func noServerIsUnreachable() async throws {
            try await with([.close]) { (cache, server) async throws in
                try await server.stop()
                #expect(await thrownCode { _ = try await cache.response(for: request(server)) } == .unreachable)
            }
        }
    }
#endif
