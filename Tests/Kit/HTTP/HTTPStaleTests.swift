#if HTTP
    import HTTPTypes
    import Shale
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// Stale responses: while they are validated, and when the origin fails.
    @Suite struct HTTPStaleTests {
        @Test func aStaleResponseIsUsedWhileItIsValidatedInTheBackground() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, stale-while-revalidate=60", .eTag: "\"1\""])
            fixture.advance(10)
            fixture.transport.reply(200, [.cacheControl: "max-age=5", .eTag: "\"2\""], "two")
            let answer = try await fixture.get()
            #expect(answer.text == "one" && answer.isStale && answer.cacheStatus.isHit && !answer.isOffline)
            await fixture.cache.finishBackgroundRequests()
            #expect(try await fixture.get().text == "two")
            #expect(fixture.sentCount == 2)
        }

        @Test func headAndOnlyIfCachedValidateNothingInTheBackground() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, stale-while-revalidate=60"])
            fixture.advance(10)
            #expect(try await fixture.send(.head).isStale)
            #expect(try await fixture.get("/a", [:], .onlyIfCached).isStale)
            await fixture.cache.finishBackgroundRequests()
            #expect(fixture.sentCount == 1)
        }

        @Test func oneValidationInTheBackgroundServesManyRequests() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, stale-while-revalidate=60", .eTag: "\"1\""])
            fixture.advance(10)
            let gate = TaskGate()
            fixture.transport.then { _ in
                await gate.pass()
                return .of(304, [.eTag: "\"1\""])
            }
            for _ in 0..<20 { #expect(try await fixture.get().text == "one") }
            gate.open()
            await fixture.cache.finishBackgroundRequests()
            #expect(fixture.sentCount == 2)
        }

        @Test func validationsInTheBackgroundAreLimited() async throws {
            let fixture = try HTTPFixture { $0.backgroundRequestsMax = 2 }
            let gate = TaskGate()
            for path in ["/a", "/b", "/c"] {
                try await fixture.stored([.cacheControl: "max-age=5, stale-while-revalidate=60"], path: path)
            }
            fixture.advance(10)
            fixture.transport.otherwise { _ in
                await gate.pass()
                return .of(200)
            }
            for path in ["/a", "/b", "/c"] { #expect(try await fixture.get(path).text == "one") }
            gate.open()
            await fixture.cache.finishBackgroundRequests()
            #expect(fixture.sentCount == 5)
        }

        @Test func withoutConnectionAStaleResponseStandsInAndSaysSo() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5"])
            fixture.advance(100_000)
            fixture.transport.fail()
            let answer = try await fixture.get()
            #expect(answer.text == "one" && answer.isOffline && answer.isStale && answer.age == "100000")
            #expect(answer.cacheStatus.description == "ShaleHTTP; fwd=stale; ttl=-99995; detail=\"unreachable\"")
        }

        @Test(arguments: ["must-revalidate", "no-cache"])
        func aResponseMayForbidThatItStandsIn(_ directive: String) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, stale-if-error=600, \(directive)"])
            fixture.advance(10)
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
            fixture.transport.reply(503)
            #expect(try await fixture.get().head.status.code == 503)
        }

        @Test func theCacheMayBeToldNotToStandIn() async throws {
            let fixture = try HTTPFixture { $0.servesStaleWhenUnreachable = false }
            try await fixture.stored([.cacheControl: "max-age=5"])
            fixture.advance(10)
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
        }

        @Test(arguments: [500, 502, 503, 504])
        func staleIfErrorReplacesAServerError(_ status: Int) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5, stale-if-error=10"])
            fixture.advance(15)
            fixture.transport.reply(status)
            let answer = try await fixture.get()
            #expect(answer.text == "one" && answer.cacheStatus.forwardStatus == status && !answer.isOffline)
            fixture.advance(1)
            fixture.transport.reply(status)
            #expect(try await fixture.get().head.status.code == status)
            fixture.transport.reply(404)
            #expect(try await fixture.get().head.status.code == 404)
        }

        @Test func aServerErrorLeavesTheStoredResponse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(10)
            fixture.transport.reply(500)
            #expect(try await fixture.get().head.status.code == 500)
            fixture.transport.reply(304, [.eTag: "\"1\""])
            #expect(try await fixture.get().text == "one")
        }

        @Test func withoutConnectionAndWithoutResponseTheCauseIsThrown() async throws {
            let fixture = try HTTPFixture()
            fixture.transport.fail()
            do {
                try await fixture.get()
                Issue.record("no error")
            } catch let error as HTTPCacheError {
                #expect(error.code == .unreachable && error.cause is NoNetwork)
            }
        }
    }
#endif
