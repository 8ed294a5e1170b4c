// Elsewhere Foundation's networking is a module of its own, which programs should not link for an HTTP cache: see
// SHALE_ADAPTERS in Package.swift.
#if HTTP && (canImport(Darwin) || SHALE_ADAPTERS)
    public import HTTPTypes
    import ShalePlatform

    #if canImport(FoundationNetworking)
        import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    /// Sends requests with `URLSession`.
    ///
    /// ```swift
    /// let cache = try HTTPCache(in: store.common["http"], transport: URLSessionTransport())
    /// ```
    /// The session's own cache and redirections are off. A body of which more than 64 MiB arrive unread is cancelled.
    /// The session decodes encoded content, so the head of such a response has neither `Content-Encoding` nor
    /// `Content-Length`.
    public final class URLSessionTransport: HTTPTransport {
        private let session: URLSession
        private let delegate = SessionDelegate()

        /// Makes a transport with a session of its own, which ends with the transport.
        public init(configuration: URLSessionConfiguration = .ephemeral) {
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }

        deinit { session.finishTasksAndInvalidate() }

        public func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply {
            let text = (request.scheme ?? "https") + "://" + (request.authority ?? "") + (request.path ?? "/")
            guard let url = URL(string: text) else { throw HTTPCacheError(.invalidRequest, "the URL is not valid") }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = request.method.rawValue
            if !body.isEmpty { outgoing.httpBody = Data(body) }
            for field in request.headerFields {
                outgoing.addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            let task = session.dataTask(with: outgoing)
            let arrival = ArrivingResponse(task)
            delegate.arrivals.withLock { $0[task.taskIdentifier] = arrival }
            let response = try await withTaskCancellationHandler {
                try await arrival.head()
            } onCancel: {
                task.cancel()
            }
            return HTTPReply(head: try response.head, body: HTTPBody(ArrivingChunks(arrival)))
        }
    }

    extension URLResponse {
        /// The status and the fields, without those of an encoding that the session has decoded.
        fileprivate var head: HTTPResponse {
            get throws(HTTPCacheError) {
                guard let response = self as? HTTPURLResponse, 100...999 ~= response.statusCode else {
                    throw HTTPCacheError(.invalidResponse, "the response is none of HTTP")
                }
                var fields = HTTPFields()
                for (name, value) in response.allHeaderFields {
                    guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String
                    else {
                        throw HTTPCacheError(.invalidResponse, "the name of a field is not valid")
                    }
                    fields.append(HTTPField(name: name, value: value))
                }
                if fields.contains(.contentEncoding) {
                    fields[.contentEncoding] = nil
                    fields[.contentLength] = nil
                }
                return HTTPResponse(status: HTTPResponse.Status(code: response.statusCode), headerFields: fields)
            }
        }
    }

    /// Passes the events of a session to the responses that they belong to. Thread-safe.
    private final class SessionDelegate: NSObject, URLSessionDataDelegate {
        /// By the numbers of their tasks.
        let arrivals = Locked<[Int: ArrivingResponse]>([:])

        private func arrival(_ task: URLSessionTask) -> ArrivingResponse? {
            arrivals.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            arrival(dataTask)?.receive(response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            arrival(dataTask)?.receive([UInt8](data))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            arrival(task)?.end(error)
            arrivals.withLock { $0[task.taskIdentifier] = nil }
        }
    }

    /// A response that a session receives and a task reads. Above a limit of unread bytes it is cancelled: a suspended
    /// task of a session may still receive. Thread-safe.
    private final class ArrivingResponse: Sendable {
        private static let unreadBytesMax = 64 << 20

        private struct State {
            var chunks: [[UInt8]] = []
            var unreadBytes = 0
            /// The end: `.success` if the response is complete.
            var end: Result<Void, any Error>?
            var headWaiter: CheckedContinuation<URLResponse, any Error>?
            var chunkWaiter: CheckedContinuation<[UInt8]?, any Error>?
        }

        private let state = Locked(State())
        private let task: URLSessionDataTask

        init(_ task: URLSessionDataTask) { self.task = task }

        func cancel() { task.cancel() }

        /// Starts the task and returns when the head has arrived.
        func head() async throws -> URLResponse {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.headWaiter = continuation }
                task.resume()
            }
        }

        func receive(_ response: URLResponse) {
            let waiter = state.withLock { $0.headWaiter.take() }
            waiter?.resume(returning: response)
        }

        func receive(_ chunk: [UInt8]) {
            let waiter = state.withLock { state -> CheckedContinuation<[UInt8]?, any Error>? in
                if let waiter = state.chunkWaiter.take() { return waiter }
                state.chunks.append(chunk)
                state.unreadBytes += chunk.count
                return nil
            }
            waiter?.resume(returning: chunk)
            if state.withLock({ $0.unreadBytes > ArrivingResponse.unreadBytesMax }) { task.cancel() }
        }

        func end(_ error: (any Error)?) {
            let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            let waiters = state.withLock { state in
                state.end = result
                return (state.headWaiter.take(), state.chunkWaiter.take())
            }
            waiters.0?.resume(throwing: error ?? HTTPCacheError(.invalidResponse, "the session returned no response"))
            switch result {
            case .success: waiters.1?.resume(returning: nil)
            case .failure(let error): waiters.1?.resume(throwing: error)
            }
        }

        /// Returns the next chunk; `nil` at the end.
        func next() async throws -> [UInt8]? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let found: Result<[UInt8]?, any Error>? = state.withLock { state in
                        guard state.chunks.isEmpty else {
                            let chunk = state.chunks.removeFirst()
                            state.unreadBytes -= chunk.count
                            return .success(chunk)
                        }
                        if let end = state.end { return end.map { nil } }
                        state.chunkWaiter = continuation
                        return nil
                    }
                    if let found { continuation.resume(with: found) }
                }
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// The chunks of a response. A response whose chunks are not read is cancelled when they are released.
    private final class ArrivingChunks: AsyncSequence, Sendable {
        private let arrival: ArrivingResponse

        init(_ arrival: ArrivingResponse) { self.arrival = arrival }

        deinit { arrival.cancel() }

        struct AsyncIterator: AsyncIteratorProtocol {
            let chunks: ArrivingChunks

            mutating func next() async throws -> [UInt8]? { try await chunks.arrival.next() }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }
    }
#endif
