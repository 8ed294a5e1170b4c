#if HTTP
    import HTTPTypes
    import ShaleHTTP
    import ShaleSync
    import ShaleSyncServer
    import Testing

    /// The transport over HTTP.
    @Suite struct HTTPSyncTransportTests {
        /// Passes requests to a server in the same process, and tells what it got.
        private struct ServedTransport: HTTPTransport {
            let server: SyncServer

            func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply {
                let isKnown = request.headerFields[.authorization] == "Bearer ada"
                guard request.method == .post, request.headerFields[.contentType] == "application/json", isKnown else {
                    return HTTPReply(
                        head: HTTPResponse(status: .unauthorized, headerFields: [.retryAfter: "7"]), body: HTTPBody())
                }
                guard let call = SyncCall.allCases.first(where: { request.path == "/sync/\($0.path)" }) else {
                    return HTTPReply(head: HTTPResponse(status: .notFound), body: HTTPBody())
                }
                let reply = try await server.answer(call, body: body, user: "ada")
                return HTTPReply(
                    head: HTTPResponse(status: .init(code: reply.status)), body: HTTPBody(reply.body))
            }
        }

        private func transport(_ sync: LoopbackSync, token: String) -> HTTPSyncTransport {
            HTTPSyncTransport(
                scheme: "https", authority: "sync.example.org", path: "/sync",
                over: ServedTransport(server: sync.server),
                headerFields: { [.authorization: "Bearer \(token)"] })
        }

        @Test func callsArePostedWithTheUsersCredentials() async throws {
            let sync = try LoopbackSync()
            let client = try SyncClient(
                try LoopbackSync.store(sync.time).user("ada"), transport: transport(sync, token: "ada"))
            let todos = try client.collection(ToDo.schema)
            try await todos.insert(ToDo(id: 1, title: "Milk"))
            try await client.synchronise()
            let other = try sync.device(2, user: "ada")
            try await other.client.synchronise()
            #expect(try other.all() == [ToDo(id: 1, title: "Milk")])
        }

        @Test func aRefusalHasItsStatusAndTheTimeToWait() async throws {
            let sync = try LoopbackSync()
            let reply = try await transport(sync, token: "bob").send(.pull, body: [])
            #expect(reply == SyncReply(status: 401, body: [], retryAfterSeconds: 7))
        }
    }
#endif
