#if HTTP
    public import HTTPTypes
    public import ShaleHTTP

    /// Sends the calls of a synchronisation over HTTP.
    ///
    /// ```swift
    /// let transport = HTTPSyncTransport(
    ///     scheme: "https", authority: "sync.example.org", path: "/sync", over: AsyncHTTPClientTransport(client),
    ///     headerFields: { [.authorization: "Bearer \(try await session.token())"] })
    /// ```
    public struct HTTPSyncTransport: SyncTransport {
        private let scheme: String
        private let authority: String
        private let path: String
        private let transport: any HTTPTransport
        private let headerFields: @Sendable () async throws -> HTTPFields

        /// Describes the server.
        ///
        /// - Parameters:
        ///   - scheme: `https`, or `http` for tests.
        ///   - authority: The host, with a port if it is not the scheme's.
        ///   - path: The base path, without a slash at its end. Calls go to `PATH/v1/push` and `PATH/v1/pull`.
        ///   - transport: Sends the requests.
        ///   - headerFields: The user's credentials. Asked for with each call, so that they can be renewed.
        public init(
            scheme: String, authority: String, path: String = "", over transport: any HTTPTransport,
            headerFields: @escaping @Sendable () async throws -> HTTPFields = { [:] }
        ) {
            self.scheme = scheme
            self.authority = authority
            self.path = path
            self.transport = transport
            self.headerFields = headerFields
        }

        public func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
            var request = HTTPRequest(
                method: .post, scheme: scheme, authority: authority, path: "\(path)/\(call.path)",
                headerFields: try await headerFields())
            request.headerFields[.contentType] = "application/json"
            request.headerFields[.contentLength] = "\(body.count)"
            let reply = try await transport.send(request, body: body)
            return SyncReply(
                status: reply.head.status.code, body: try await reply.body.bytes(upTo: SyncLimits.messageBytes),
                retryAfterSeconds: reply.head.headerFields[.retryAfter].flatMap { Int($0) })
        }
    }
#endif
