#if HTTP
    import HTTPTypes
    import Shale
    import ShaleEngine
    import ShalePlatform
    import ShaleSimulation
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// A cache over a store in memory, with a scripted origin and clocks that move when told to.
    final class HTTPFixture {
        let time = ManualTime()
        let transport = ScriptedTransport()
        private let memory = MemoryFileSystem()
        private(set) var store: Store
        private(set) var cache: HTTPCache
        private let options: HTTPCache.Options

        init(_ change: (inout HTTPCache.Options) -> Void = { _ in }) throws {
            var options = HTTPCache.Options()
            change(&options)
            self.options = options
            store = try HTTPFixture.open(memory, time)
            cache = try HTTPCache(
                in: store.common["http"], transport: transport, options: options, random: SeededRandom(seed: 1))
        }

        deinit {
            do { try store.close() } catch { Issue.record("the store can't be closed: \(error)") }
        }

        private static func open(_ memory: MemoryFileSystem, _ time: ManualTime) throws -> Store {
            var options = Store.Options()
            options.engine.time = time
            options.engine.syncInterval = nil
            options.purgeInterval = nil
            return try Store(at: "/store", options: options, environment: EngineEnvironment(fileSystem: memory))
        }

        /// Closes the store, opens it again, and makes a new cache.
        func reopen() throws {
            try store.close()
            store = try HTTPFixture.open(memory, time)
            cache = try HTTPCache(
                in: store.common["http"], transport: transport, options: options, random: SeededRandom(seed: 2))
        }

        /// Returns the date of a time relative to now.
        func date(_ seconds: Int64 = 0) -> String { HTTPDate.text(time.wallMilliseconds + seconds * 1000) }

        func advance(_ seconds: UInt64) { time.advance(milliseconds: seconds * 1000) }

        static func request(
            _ path: String = "/a", _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get
        ) -> HTTPRequest {
            HTTPRequest(method: method, scheme: "https", authority: "example.org", path: path, headerFields: fields)
        }

        @discardableResult
        func get(
            _ path: String = "/a", _ fields: HTTPFields = [:], _ directives: RequestDirectives? = nil
        ) async throws -> HTTPAnswer {
            try await cache.response(for: HTTPFixture.request(path, fields), directives: directives)
        }

        @discardableResult
        func send(_ method: HTTPRequest.Method, _ path: String = "/a", _ fields: HTTPFields = [:]) async throws
            -> HTTPAnswer
        {
            try await cache.response(for: HTTPFixture.request(path, fields, method: method), body: [])
        }

        /// Stores the response that `reply` describes, for `path`.
        func stored(
            _ fields: HTTPFields, _ body: String = "one", path: String = "/a", status: Int = 200,
            for request: HTTPFields = [:]
        ) async throws {
            transport.reply(status, fields, body)
            let answer = try await get(path, request)
            #expect(answer.cacheStatus.isStored, "\(answer.cacheStatus)")
        }

        /// The number of requests that reached the origin.
        var sentCount: Int { transport.requests.count }
    }

    extension HTTPAnswer {
        /// The body, which must be in memory.
        var text: String { body.bytesInMemory.map { String(decoding: $0, as: UTF8.self) } ?? "(arriving)" }

        var age: String? { head.headerFields[.age] }
    }

    /// Waits until `condition` holds, without blocking a thread of the task pool. Returns false if it does not within
    /// 25 minutes: all tests share two threads, and some hold one for minutes. On a busy machine nine were not enough.
    func reaches(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(1500)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    /// Returns the code of the error that `body` throws; `nil` if it throws none.
    func httpCode(_ body: () async throws -> Void) async -> HTTPCacheError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HTTPCacheError)?.code ?? HTTPCacheError.Code(rawValue: "\(error)")
        }
    }
#endif
