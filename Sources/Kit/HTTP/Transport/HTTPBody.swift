#if HTTP
    /// The content of a response: bytes in memory, or chunks that are still arriving.
    ///
    /// ```swift
    /// let bytes = try await answer.body.bytes(upTo: 1 << 20)
    /// ```
    /// Bytes in memory can be read any number of times. Chunks that are arriving can be read once, by one task.
    public struct HTTPBody: AsyncSequence, Sendable {
        /// A chunk of the content.
        public typealias Element = [UInt8]
        /// Transports throw errors of any type.
        public typealias Failure = any Error
        typealias Chunks = any AsyncSequence<[UInt8], any Error> & Sendable

        private enum Content: Sendable {
            case bytes([UInt8])
            case stream(Chunks)
            /// Bytes that were read, and the chunks that follow.
            case rest(first: [UInt8], RemainingChunks)
        }

        private let content: Content

        /// Makes a body of bytes in memory.
        public init(_ bytes: [UInt8] = []) { content = .bytes(bytes) }

        /// Makes a body of chunks. The sequence throws if the connection is cut before the end.
        public init(_ chunks: some AsyncSequence<[UInt8], any Error> & Sendable) {
            content = .stream(chunks)
        }

        /// Makes a body of bytes that were read and the chunks that follow.
        init(first: [UInt8], rest: RemainingChunks) { content = .rest(first: first, rest) }

        /// The bytes if the body is in memory; `nil` if it is still arriving.
        public var bytesInMemory: [UInt8]? {
            if case .bytes(let bytes) = content { bytes } else { nil }
        }

        /// Returns the whole body.
        ///
        /// - Parameter limit: The maximum number of bytes.
        /// - Throws: `.bodyTooLarge` above `limit`, with the rest unread; `.incompleteBody` if the connection was cut;
        ///   `.cancelled`.
        public func bytes(upTo limit: Int) async throws(HTTPCacheError) -> [UInt8] {
            if let bytes = bytesInMemory {
                guard bytes.count <= limit else {
                    throw HTTPCacheError(.bodyTooLarge, "the body is over \(limit) bytes")
                }
                return bytes
            }
            let collected = try await collected(upTo: limit)
            guard collected.rest == nil else {
                throw HTTPCacheError(.bodyTooLarge, "the body is over \(limit) bytes")
            }
            return collected.bytes
        }

        /// Reads chunks until the end, or until there are more than `limit` bytes. Returns them with the rest; `nil`
        /// for the rest if the body ended. The memory is that of the bytes, however small the chunks are.
        func collected(upTo limit: Int) async throws(HTTPCacheError) -> (bytes: [UInt8], rest: RemainingChunks?) {
            var bytes: [UInt8] = []
            let remaining = RemainingChunks(makeAsyncIterator())
            do {
                while bytes.count <= limit {
                    guard let chunk = try await remaining.next() else { return (bytes, nil) }
                    // A body of one chunk is not copied.
                    if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
                }
                return (bytes, remaining)
            } catch {
                throw HTTPCacheError(ofBody: error)
            }
        }

        /// Returns an iterator over the chunks.
        public func makeAsyncIterator() -> AsyncIterator {
            switch content {
            case .bytes(let bytes): AsyncIterator(first: bytes, rest: nil, shared: nil)
            case .stream(let chunks): AsyncIterator(first: [], rest: chunks.makeAsyncIterator(), shared: nil)
            case .rest(let first, let rest): AsyncIterator(first: first, rest: nil, shared: rest)
            }
        }

        /// Returns the chunks in order.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// Returned first, unless they are empty.
            private var first: [UInt8]
            private var rest: (any AsyncIteratorProtocol<[UInt8], any Error>)?
            private let shared: RemainingChunks?

            fileprivate init(
                first: [UInt8], rest: (any AsyncIteratorProtocol<[UInt8], any Error>)?, shared: RemainingChunks?
            ) {
                self.first = first
                self.rest = rest
                self.shared = shared
            }

            /// Returns the next chunk; `nil` at the end.
            public mutating func next() async throws -> [UInt8]? { try await next(isolation: nil) }

            /// Returns the next chunk; `nil` at the end. Throws the transport's error if the connection is cut.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
                if !first.isEmpty {
                    defer { first = [] }
                    return first
                }
                if let shared { return try await shared.next() }
                return try await rest?.next(isolation: actor)
            }
        }
    }

    /// The chunks of a body that follow those that were read.
    ///
    /// The iterator moves from the task that read the first chunks to the one that reads the others, never to two at
    /// once: a body that is arriving is read once, by one task.
    final class RemainingChunks: @unchecked Sendable {
        // Used by one task at a time, see above.
        private var iterator: HTTPBody.AsyncIterator

        init(_ iterator: HTTPBody.AsyncIterator) { self.iterator = iterator }

        func next() async throws -> [UInt8]? { try await iterator.next() }
    }
#endif
