#if HTTP
    public import HTTPTypes

    /// Sends requests to their origins. The cache calls it for everything that stored responses don't answer.
    ///
    /// An implementation sends each request as it stands, and returns as soon as the head of the final response has
    /// arrived. It must not cache. It should not follow redirections: the cache would store the last response under the
    /// first URL. If it decodes a `Content-Encoding`, it must remove this field and `Content-Length` from the head.
    ///
    /// Implementations are called from many tasks at once.
    public protocol HTTPTransport: Sendable {
        /// Sends a request with a body, which is empty for requests without content.
        ///
        /// The end of the returned body must mean that the response is complete: a connection that is cut before throws
        /// from the body's iterator. Cancellation of the task cancels the request.
        ///
        /// - Throws: Any error means that no response came from the origin.
        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply
    }

    /// The reply of a transport: the head of the response, and its body as it arrives.
    public struct HTTPReply: Sendable {
        /// The status and the fields of the final response.
        public var head: HTTPResponse
        /// The content, empty for responses without content.
        public var body: HTTPBody

        /// Makes a reply.
        public init(head: HTTPResponse, body: HTTPBody) {
            self.head = head
            self.body = body
        }
    }
#endif
