#if HTTP
    import HTTPTypes
    import Shale
    import ShaleEngine
    import TestSupport
    import Testing

    @testable import ShaleHTTP

    /// Hits, misses and validations.
    @Suite struct HTTPCacheTests {
        @Test func aFreshResponseIsUsedWithoutContact() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60", .contentType: "text/plain"])
            fixture.advance(10)
            let answer = try await fixture.get()
            #expect(answer.text == "one" && answer.head.status == .ok && answer.head.headerFields[.contentType] != nil)
            #expect(answer.age == "10" && answer.cacheStatus.description == "ShaleHTTP; hit; ttl=50")
            #expect(!answer.isStale && !answer.isOffline && fixture.sentCount == 1)
        }

        @Test func aResponseThatNeverExpiresIsUsed() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.expires: "Fri, 31 Dec 9999 23:59:59 GMT"])
            fixture.advance(1000)
            let answer = try await fixture.get()
            #expect(answer.cacheStatus.isHit && answer.storageError == nil)
        }

        @Test func aStoredResponseSurvivesReopening() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            try fixture.reopen()
            #expect(try await fixture.get().text == "one")
            #expect(fixture.sentCount == 1)
        }

        @Test func aStaleResponseIsValidatedAndKept() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored(
                [.cacheControl: "max-age=5", .eTag: "\"1\"", .lastModified: fixture.date(-100), .contentLength: "3"])
            fixture.advance(6)
            fixture.transport.reply(304, [.cacheControl: "max-age=50", .eTag: "\"1\"", .date: fixture.date()])
            let answer = try await fixture.get()
            #expect(fixture.transport.sent(.ifNoneMatch) == "\"1\"")
            #expect(fixture.transport.sent(.ifModifiedSince) == fixture.date(-106))
            #expect(
                answer.head.status == .ok && answer.text == "one" && answer.head.headerFields[.contentLength] == "3")
            #expect(answer.cacheStatus.description == "ShaleHTTP; fwd=stale; fwd-status=304; stored")
            fixture.advance(40)
            #expect(try await fixture.get().cacheStatus.isHit)
            #expect(fixture.sentCount == 2)
        }

        @Test func aFullResponseReplacesTheOneThatWasValidated() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(6)
            fixture.transport.reply(200, [.cacheControl: "max-age=5", .eTag: "\"2\""], "two")
            #expect(try await fixture.get().text == "two")
            #expect(try await fixture.get().text == "two")
            #expect(fixture.sentCount == 2)
        }

        @Test func aResponseThatMayNotBeStoredRemovesTheOneBefore() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(6)
            fixture.transport.reply(200, [.cacheControl: "no-store"], "two")
            #expect(try await fixture.get().text == "two")
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
        }

        @Test func noCacheOfARequestValidatesAFreshResponse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60", .eTag: "\"1\""])
            fixture.transport.reply(304, [.eTag: "\"1\""])
            let answer = try await fixture.get("/a", [:], .revalidate)
            #expect(answer.cacheStatus.forward == .request && answer.text == "one")
            #expect(fixture.transport.sent(.cacheControl) == "no-cache")
        }

        @Test func aResponseWithNoCacheIsValidatedAtEveryUse() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "no-cache, max-age=60", .eTag: "\"1\""])
            fixture.transport.reply(304, [.eTag: "\"1\"", .cacheControl: "no-cache, max-age=60"])
            #expect(try await fixture.get().text == "one")
            #expect(fixture.sentCount == 2)
        }

        @Test func onlyIfCachedSendsNothing() async throws {
            let fixture = try HTTPFixture()
            let miss = try await fixture.get("/a", [:], .onlyIfCached)
            #expect(miss.head.status == .gatewayTimeout && fixture.sentCount == 0)
            try await fixture.stored([.cacheControl: "max-age=5"])
            #expect(try await fixture.get("/a", [:], .onlyIfCached).text == "one")
            fixture.advance(6)
            #expect(try await fixture.get("/a", [:], .onlyIfCached).head.status == .gatewayTimeout)
            #expect(fixture.sentCount == 1)
        }

        @Test func maxStaleUsesAStaleResponseWithoutContact() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5"])
            fixture.advance(8)
            let answer = try await fixture.get("/a", [:], .maxStale(.seconds(10)))
            #expect(answer.isStale && answer.cacheStatus.timeToLive == -3 && fixture.sentCount == 1)
        }

        @Test func noStoreOfARequestNeitherUsesNorStores() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "two")
            let answer = try await fixture.get("/a", [:], .noStore)
            #expect(answer.cacheStatus.forward == .bypass && answer.text == "two")
            #expect(try await fixture.get().text == "one")
        }

        @Test func a304ForAnotherEntityTagIsAskedForInFull() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(6)
            fixture.transport.reply(304, [.eTag: "\"other\""])
            fixture.transport.reply(200, [.cacheControl: "max-age=5", .eTag: "\"2\""], "two")
            #expect(try await fixture.get().text == "two")
            #expect(fixture.transport.sent(.ifNoneMatch) == nil && fixture.sentCount == 3)
        }

        /// `HTTPFields` traps if one field more is added to these, or if they are added to others.
        @Test func a304WithTheMostFieldsConfirmsTheResponseAndRemovesIt() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(10)
            var fields: HTTPFields = [.eTag: "\"1\""]
            while fields.count < Int(UInt16.max) - 1 { fields.append(HTTPField(name: .via, value: "x")) }
            fixture.transport.reply(304, fields)
            #expect(try await fixture.get().text == "one")
            fixture.transport.fail()
            #expect(await httpCode { try await fixture.get() } == .unreachable)
        }

        @Test func a304WithoutAStoredResponseIsAskedForInFull() async throws {
            let fixture = try HTTPFixture()
            fixture.transport.reply(304, [.eTag: "\"1\""])
            fixture.transport.reply(200, [.cacheControl: "max-age=5"], "two")
            #expect(try await fixture.get().text == "two")
            fixture.transport.reply(304)
            fixture.transport.reply(304)
            #expect(await httpCode { try await fixture.get("/b") } == .invalidResponse)
        }

        @Test func aResponseThatIsPurgedDuringItsValidationAnswersAndIsGone() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(6)
            let store = fixture.store
            fixture.transport.then { _ in
                _ = try await store.purge(.all)
                return .of(304, [.eTag: "\"1\"", .cacheControl: "max-age=60"])
            }
            let answer = try await fixture.get()
            #expect(answer.text == "one" && !answer.cacheStatus.isStored)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request()) == nil)
        }

        @Test(arguments: [HTTPField.Name.range, .ifNoneMatch, .ifModifiedSince, .ifMatch])
        func rangesAndPreconditionsOfTheCallerAreSentOn(_ name: HTTPField.Name) async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"])
            fixture.transport.reply(206, [.cacheControl: "max-age=60"], "part")
            let answer = try await fixture.get("/a", [name: "x"])
            #expect(answer.cacheStatus.forward == .bypass && answer.text == "part")
            #expect(try await fixture.get().text == "one")
        }

        @Test func differentQueriesAreDifferentResponses() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"], "one", path: "/a?x=1")
            try await fixture.stored([.cacheControl: "max-age=60"], "two", path: "/a?x=2")
            #expect(try await fixture.get("/a?x=1").text == "one")
        }

        @Test func fieldsOfOthersInCacheStatusAreKept() async throws {
            let fixture = try HTTPFixture()
            let name = try #require(HTTPField.Name("Cache-Status"))
            try await fixture.stored([.cacheControl: "max-age=60", name: "Origin; hit; ttl=30; detail=\"x y\", ?0"])
            let members = try CacheStatus.members(of: try await fixture.get().head.headerFields)
            #expect(members.map(\.description) == ["Origin; hit; ttl=30; detail=\"x y\""])
            var own = CacheStatus(cache: "a b", forward: .stale)
            own.forwardStatus = 304
            own.isStored = true
            #expect(
                try CacheStatus.fieldValue(members + [own])
                    == "\"Origin\";hit;ttl=30;detail=\"x y\", \"a b\";fwd=stale;fwd-status=304;stored")
            own.detail = "é"
            #expect(throws: HTTPCacheError.self) { try CacheStatus.fieldValue([own]) }
        }

        @Test func aClockThatIsSetBackValidatesResponses() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=3600", .eTag: "\"1\""])
            fixture.time.wallMilliseconds -= 86_400_000
            fixture.transport.reply(304, [.eTag: "\"1\"", .date: fixture.date(86_400)])
            #expect(try await fixture.get().cacheStatus.forwardStatus == 304)
            #expect(try await fixture.get().cacheStatus.isHit, "the validation has the clock's new time")
        }

        @Test func aRequestWithoutAuthorityIsRefused() async throws {
            let fixture = try HTTPFixture()
            let request = HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")
            #expect(await httpCode { _ = try await fixture.cache.response(for: request) } == .invalidRequest)
        }

        @Test func optionsOutOfRangeAreRefused() throws {
            let fixture = try HTTPFixture()
            for change: (inout HTTPCache.Options) -> Void in [
                { $0.bodyBytesMax = 31 << 20 }, { $0.capacityBytes = 1 << 20 }, { $0.variantsMax = 0 },
                { $0.name = "é" },
                { $0.variantsMax = 256 }, { $0.heuristicFraction = 2 }, { $0.fieldBytesMax = 2 << 20 },
            ] {
                var options = HTTPCache.Options()
                change(&options)
                let (namespace, transport, changed) = (fixture.store.common["x"], fixture.transport, options)
                let thrown = code { () throws(StorageError) in
                    try HTTPCache(in: namespace, transport: transport, options: changed)
                }
                #expect(thrown == .invalidArgument)
            }
        }
    }
#endif
