#if HTTP
    import HTTPTypes
    import Shale
    import Testing

    @testable import ShaleHTTP

    @Suite struct HTTPHeadTests {
        @Test func aFreshResponseAnswersHead() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60", .contentLength: "3"])
            let answer = try await fixture.send(.head)
            #expect(answer.cacheStatus.isHit && answer.text == "" && answer.head.headerFields[.contentLength] == "3")
        }

        @Test func aHeadThatDescribesTheStoredResponseFreshensIt() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\"", .contentLength: "3"])
            fixture.advance(10)
            fixture.transport.reply(200, [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "3"])
            try await fixture.send(.head)
            fixture.advance(30)
            let answer = try await fixture.get()
            #expect(answer.cacheStatus.isHit && answer.text == "one")
        }

        @Test func aHeadOfAnotherContentRemovesTheStoredResponse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\"", .contentLength: "3"])
            fixture.advance(10)
            fixture.transport.reply(200, [.eTag: "\"1\"", .contentLength: "4"])
            try await fixture.send(.head)
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
        }

        @Test(arguments: ["no-store", "max-age=60"])
        func aHeadWhoseFieldsCanNotBeStoredRemovesTheStoredResponse(_ control: String) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(10)
            var fields: HTTPFields = [.cacheControl: control, .eTag: "\"1\""]
            if control != "no-store" {
                // As many as `HTTPFields` holds: one more would be a trap.
                while fields.count < Int(UInt16.max) - 1 { fields.append(HTTPField(name: .via, value: "x")) }
            }
            fixture.transport.reply(200, fields)
            #expect(try await fixture.send(.head).head.status == .ok)
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
        }

        @Test func aHeadAloneStoresNothing() async throws {
            let fixture = try HTTPFixture()
            fixture.transport.reply(200, [.cacheControl: "max-age=60", .contentLength: "3"])
            try await fixture.send(.head)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request()) == nil)
        }

        @Test func withoutConnectionTheStoredResponseAnswersHead() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5"])
            fixture.advance(10)
            fixture.transport.fail()
            let answer = try await fixture.send(.head)
            #expect(answer.isOffline && answer.text == "")
        }
    }
#endif
