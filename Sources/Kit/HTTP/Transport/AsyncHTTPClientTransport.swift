#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import HTTPTypes
    import NIOCore
    import NIOHTTP1

    /// Sends requests with a client of async-http-client.
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: AsyncHTTPClientTransport.configuration)
    /// let cache = try HTTPCache(in: store.common["http"], transport: AsyncHTTPClientTransport(client))
    /// ```
    /// The caller shuts the client down. Use a client that follows no redirections and decompresses nothing, as
    /// ``configuration`` has it.
    public struct AsyncHTTPClientTransport: HTTPTransport {
        /// More fields than this are no response of an honest server.
        private static let fieldsMax = 4096

        private let client: HTTPClient
        private let timeout: TimeAmount

        /// Makes a transport.
        ///
        /// - Parameters:
        ///   - client: The client, which the caller shuts down.
        ///   - timeout: The maximum time until the head of the response has arrived. After that the client's read
        ///     timeout ends a body that stalls.
        public init(_ client: HTTPClient, timeout: Duration = .seconds(60)) {
            self.client = client
            self.timeout = .milliseconds(timeout.policyMilliseconds)
        }

        /// The client's defaults without redirections. A connection fails if it sends nothing for 60 s.
        public static var configuration: HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            configuration.timeout.read = .seconds(60)
            return configuration
        }

        public func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply {
            var outgoing = HTTPClientRequest(
                url: (request.scheme ?? "https") + "://" + (request.authority ?? "") + (request.path ?? "/"))
            outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headerFields { outgoing.headers.add(name: field.name.rawName, value: field.value) }
            if !body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
            let response = try await client.execute(outgoing, timeout: timeout)
            guard response.headers.count <= AsyncHTTPClientTransport.fieldsMax, 100...999 ~= response.status.code else {
                throw HTTPCacheError(.invalidResponse, "the response has an impossible status, or too many fields")
            }
            var fields = HTTPFields()
            for (name, value) in response.headers {
                guard let name = HTTPField.Name(name) else {
                    throw HTTPCacheError(.invalidResponse, "the name of a field is not valid")
                }
                fields.append(HTTPField(name: name, value: value))
            }
            let head = HTTPResponse(
                status: HTTPResponse.Status(code: Int(response.status.code)), headerFields: fields)
            return HTTPReply(head: head, body: HTTPBody(response.body.map { [UInt8](buffer: $0) }))
        }
    }
#endif
