#if HTTP
    import HTTPTypes
    import Shale
    import ShalePlatform
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// Equal requests that are in flight at once, and cancellation.
    @Suite struct HTTPFlightTests {
        /// Starts `count` equal requests while the first waits for its reply.
        private func answers(
            _ count: Int, _ fixture: HTTPFixture, _ gate: TaskGate, _ fields: HTTPFields = [:]
        ) async throws -> [HTTPAnswer] {
            let cache = fixture.cache
            return try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                for _ in 0..<count {
                    group.addTask { try await cache.response(for: HTTPFixture.request("/a", fields)) }
                }
                group.addTask {
                    while cache.flights.waiterCount < count { await Task.yield() }
                    gate.open()
                    return try await cache.response(for: HTTPFixture.request("/other"), directives: .onlyIfCached)
                }
                var answers: [HTTPAnswer] = []
                for try await answer in group where answer.head.status == .ok { answers.append(answer) }
                return answers
            }
        }

        @Test func equalRequestsAreSentOnce() async throws {
            let (fixture, gate) = (try HTTPFixture(), TaskGate())
            fixture.transport.then { _ in
                await gate.pass()
                return .of(200, [.cacheControl: "max-age=60"], "one")
            }
            let answers = try await answers(10, fixture, gate)
            #expect(answers.map(\.text) == Array(repeating: "one", count: 10))
            #expect(answers.count { $0.cacheStatus.isCollapsed } == 9 && fixture.sentCount == 1)
            #expect(fixture.cache.flights.count == 0)
        }

        @Test(arguments: ["no-store", "max-age=0", "no-cache, max-age=60"])
        func aResponseForOneRequestIsNotShared(_ control: String) async throws {
            let (fixture, gate) = (try HTTPFixture(), TaskGate())
            fixture.transport.otherwise { _ in
                await gate.pass()
                return .of(200, [.cacheControl: control], "one")
            }
            let answers = try await answers(5, fixture, gate)
            #expect(answers.count { $0.cacheStatus.isCollapsed } == 0 && fixture.sentCount == 5)
        }

        @Test func requestsWithOtherFieldsAreSentEach() async throws {
            let (fixture, gate) = (try HTTPFixture(), TaskGate())
            fixture.transport.otherwise { request in
                await gate.pass()
                return .of(200, [.cacheControl: "max-age=60"], request.headerFields[.authorization] ?? "")
            }
            let cache = fixture.cache
            async let ann = cache.response(for: HTTPFixture.request("/a", [.authorization: "ann"]))
            async let bob = cache.response(for: HTTPFixture.request("/a", [.authorization: "bob"]))
            #expect(await reaches { gate.waiterCount == 2 })
            gate.open()
            #expect(try await ann.text == "ann")
            #expect(try await bob.text == "bob")
        }

        @Test func aCancelledCallerLeavesTheOthers() async throws {
            let (fixture, gate) = (try HTTPFixture(), TaskGate())
            fixture.transport.then { _ in
                await gate.pass()
                return .of(200, [.cacheControl: "max-age=60"], "one")
            }
            let cache = fixture.cache
            let first = Task { try await cache.response(for: HTTPFixture.request()) }
            #expect(await reaches { gate.waiterCount == 1 })
            let second = Task { try await cache.response(for: HTTPFixture.request()) }
            #expect(await reaches { cache.flights.waiterCount == 2 })
            first.cancel()
            #expect(await httpCode { _ = try await first.value } == .cancelled)
            gate.open()
            #expect(try await second.value.text == "one")
            #expect(fixture.sentCount == 1)
        }

        @Test func theLastCancelledCallerCancelsTheRequest() async throws {
            let fixture = try HTTPFixture()
            let (started, isCancelled) = (TaskGate(), Locked(false))
            fixture.transport.then { _ in
                started.open()
                // A stream without elements ends when its task is cancelled.
                let (stream, continuation) = AsyncStream<Void>.makeStream()
                for await _ in stream {}
                continuation.finish()
                isCancelled.withLock { $0 = Task.isCancelled }
                throw CancellationError()
            }
            let cache = fixture.cache
            let task = Task { try await cache.response(for: HTTPFixture.request()) }
            await started.pass()
            task.cancel()
            #expect(await httpCode { _ = try await task.value } == .cancelled)
            #expect(await reaches { isCancelled.withLock { $0 } })
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "two")
            #expect(try await fixture.get().text == "two")
        }

        @Test func aTaskThatIsCancelledBeforeSendsNothing() async throws {
            let fixture = try HTTPFixture()
            let (cache, gate) = (fixture.cache, TaskGate())
            let task = Task {
                await gate.pass()
                return try await cache.response(for: HTTPFixture.request())
            }
            task.cancel()
            gate.open()
            #expect(await httpCode { _ = try await task.value } == .cancelled)
            #expect(fixture.sentCount == 0)
        }

        @Test func waitersOfAFailedRequestUseWhatTheyHave() async throws {
            let (fixture, gate) = (try HTTPFixture(), TaskGate())
            try await fixture.stored([.cacheControl: "max-age=5"])
            fixture.advance(10)
            fixture.transport.then { _ in
                await gate.pass()
                throw NoNetwork()
            }
            let answers = try await answers(5, fixture, gate)
            #expect(answers.allSatisfy { $0.isOffline && $0.text == "one" } && answers.count == 5)
            #expect(fixture.sentCount == 2)
        }
    }
#endif
