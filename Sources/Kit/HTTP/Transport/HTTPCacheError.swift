#if HTTP
    public import HTTPTypes

    /// The error of a request through a cache.
    ///
    /// ``code`` tells a caller how to react. A response with an error status is no error of the cache.
    public struct HTTPCacheError: Error, Sendable {
        /// The kind of the error.
        public let code: Code
        /// A description for developers, without URLs and credentials.
        public let message: String
        /// The underlying error, for example of the transport.
        public let cause: (any Error)?
        /// The head of the response, for `.status` and for bodies that can't be decoded.
        public let response: HTTPResponse?
        /// The first 64 KiB of the response's body, for the same codes.
        public let body: [UInt8]

        /// Makes an error. Transports may throw one; other errors of theirs mean `.unreachable`.
        public init(
            _ code: Code, _ message: String, cause: (any Error)? = nil, response: HTTPResponse? = nil,
            body: [UInt8] = []
        ) {
            self.code = code
            self.message = message
            self.cause = cause
            self.response = response
            self.body = body
        }

        /// The kind of an error. A struct, so that codes can be added without breaking a `switch`.
        public struct Code: RawRepresentable, Hashable, Sendable {
            /// The name of the kind.
            public let rawValue: String

            /// Makes a kind with a name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The origin did not answer, and no stored response may be used instead. `cause` is the transport's error.
            public static let unreachable = Code(rawValue: "unreachable")
            /// The body ended before its end: the connection was cut, or `Content-Length` states another length.
            /// Nothing of it was stored.
            public static let incompleteBody = Code(rawValue: "incompleteBody")
            /// The body is larger than the caller's limit.
            public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
            /// The origin broke HTTP, for example with 304 for a request without precondition.
            public static let invalidResponse = Code(rawValue: "invalidResponse")
            /// The request can't be sent: it has no scheme or authority, or a parameter does not fit its template.
            public static let invalidRequest = Code(rawValue: "invalidRequest")
            /// The task was cancelled.
            public static let cancelled = Code(rawValue: "cancelled")
            /// An endpoint can't be registered: its template or its parameters are not valid, or its key is in use.
            public static let invalidEndpoint = Code(rawValue: "invalidEndpoint")
            /// The registry has no such endpoint or environment, or an endpoint of this name with other types.
            public static let unknownEndpoint = Code(rawValue: "unknownEndpoint")
            /// The endpoint answered with a status other than 2xx. ``HTTPCacheError/response`` has the answer.
            public static let status = Code(rawValue: "status")
            /// A body can't be encoded or decoded. `cause` is the coder's error.
            public static let codecFailure = Code(rawValue: "codecFailure")
        }

        /// The error of a body's iterator.
        init(ofBody error: any Error) {
            if let known = error as? HTTPCacheError {
                self = known
            } else if error is CancellationError || Task.isCancelled {
                self.init(.cancelled, "the task was cancelled", cause: error)
            } else {
                self.init(.incompleteBody, "the response was cut short", cause: error)
            }
        }
    }

    extension HTTPCacheError: CustomStringConvertible {
        /// The kind, the message and the cause.
        public var description: String {
            "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "")
        }
    }
#endif
