#if HTTP
    import HTTPTypes
    import ShalePlatform

    @testable import ShaleHTTP

    /// The error of a network that does not reach the origin.
    struct NoNetwork: Error {}

    /// A transport in memory: each request gets the next reply of a script. Thread-safe.
    final class ScriptedTransport: HTTPTransport {
        typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPReply

        private struct State: Sendable {
            var script: [Handler] = []
            var fallback: Handler?
            var requests: [HTTPRequest] = []
        }

        private let state = Locked(State())

        /// The requests so far.
        var requests: [HTTPRequest] { state.withLock { $0.requests } }

        /// The value of a field in the last request.
        func sent(_ name: HTTPField.Name) -> String? { requests.last?.headerFields[name] }

        func then(_ handler: @escaping Handler) { state.withLock { $0.script.append(handler) } }

        /// Handles the requests that have no reply in the script.
        func otherwise(_ handler: @escaping Handler) { state.withLock { $0.fallback = handler } }

        func reply(_ status: Int = 200, _ fields: HTTPFields = [:], _ body: String = "") {
            then { _ in .of(status, fields, body) }
        }

        func fail() { then { _ in throw NoNetwork() } }

        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply {
            let handler = state.withLock { state in
                state.requests.append(request)
                return state.script.isEmpty ? state.fallback : state.script.removeFirst()
            }
            guard let handler else { throw NoNetwork() }
            return try await handler(request)
        }
    }

    extension HTTPReply {
        static func of(_ status: Int, _ fields: HTTPFields = [:], _ body: String = "") -> HTTPReply {
            HTTPReply(
                head: HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields),
                body: HTTPBody(Array(body.utf8)))
        }
    }

    /// The version of a resource. Thread-safe.
    final class Version: Sendable {
        private let current = Locked(0)

        var number: Int { current.withLock { $0 } }

        func advance() { current.withLock { $0 += 1 } }
    }

    /// A gate that tasks wait at until it opens. Thread-safe.
    final class TaskGate: Sendable {
        private struct State: Sendable {
            var isOpen = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        var waiterCount: Int { state.withLock { $0.waiters.count } }

        func pass() async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiters.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                state.isOpen = true
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Chunks that end with an error, as those of a connection that is cut.
    struct CutChunks: AsyncSequence, Sendable {
        let chunks: [[UInt8]]

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ArraySlice<[UInt8]>

            mutating func next() async throws -> [UInt8]? {
                guard let chunk = rest.popFirst() else { throw NoNetwork() }
                return chunk
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...]) }
    }

    /// `count` chunks of a size, which are made when they are read. Counts those that were read.
    struct LongBody: AsyncSequence, Sendable {
        let chunkBytes: Int
        let count: Int
        let readCount = Locked(0)

        struct AsyncIterator: AsyncIteratorProtocol {
            let body: LongBody
            var index = 0

            mutating func next() async throws -> [UInt8]? {
                guard index < body.count else { return nil }
                index += 1
                body.readCount.withLock { $0 += 1 }
                return [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: body.chunkBytes)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
    }
#endif
