#if HTTP
    import HTTPTypes
    import Shale
    import Testing

    @testable import ShaleHTTP

    /// Variants by `Vary` and `Authorization`.
    @Suite struct HTTPVariantTests {
        @Test func aVariantIsUsedForItsRequestsOnly() async throws {
            let fixture = try HTTPFixture()
            let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept-Language"]
            try await fixture.stored(fields, "hello", for: [.acceptLanguage: "en"])
            try await fixture.stored(fields, "hej", for: [.acceptLanguage: "sv"])
            try await fixture.stored(fields, "none")
            #expect(try await fixture.get("/a", [.acceptLanguage: "en"]).text == "hello")
            #expect(try await fixture.get("/a", [.acceptLanguage: "sv"]).text == "hej")
            #expect(try await fixture.get().text == "none")
            fixture.transport.reply(200, fields, "hallo")
            #expect(try await fixture.get("/a", [.acceptLanguage: "de"]).cacheStatus.forward == .varyMiss)
        }

        @Test func anEmptyFieldIsNotAMissingOne() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60", .vary: "accept"], for: [.accept: ""])
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request()) == nil)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", [.accept: ""])) != nil)
        }

        @Test func severalFieldsMustAllMatch() async throws {
            let fixture = try HTTPFixture()
            let stored: HTTPFields = [.accept: "a", .acceptLanguage: "b", .acceptEncoding: "c"]
            try await fixture.stored(
                [.cacheControl: "max-age=60", .vary: "accept, Accept-Language, accept-encoding"], for: stored)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", stored)) != nil)
            for name in [HTTPField.Name.accept, .acceptLanguage, .acceptEncoding] {
                var other = stored
                other[name] = "x"
                #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", other)) == nil)
                other[name] = nil
                #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", other)) == nil)
            }
        }

        @Test func aUserNeverGetsTheResponseOfAnother() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=60"], "ann's", for: [.authorization: "Bearer ann"])
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "bob's")
            #expect(try await fixture.get("/a", [.authorization: "Bearer bob"]).text == "bob's")
            #expect(try await fixture.get("/a", [.authorization: "Bearer ann"]).text == "ann's")
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request()) == nil)
        }

        @Test func neitherURLsNorCredentialsAreInKeysOrSelectingValues() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored(
                [.cacheControl: "max-age=60", .vary: "cookie"], "body", path: "/path-secret",
                for: [.authorization: "Bearer token-secret", .cookie: "cookie-secret"])
            for entry in try fixture.cache.namespace.entries.array() {
                let value = String(decoding: try entry.payload().bytes, as: UTF8.self)
                #expect(!value.contains("token-secret") && !value.contains("cookie-secret"))
                #expect(!String(decoding: entry.key.bytes, as: UTF8.self).contains("secret"))
            }
        }

        @Test func aValidationThatChangesVaryMovesTheVariant() async throws {
            let fixture = try HTTPFixture()
            try await fixture.stored([.cacheControl: "max-age=5", .eTag: "\"1\""])
            fixture.advance(6)
            fixture.transport.reply(304, [.eTag: "\"1\"", .vary: "accept", .cacheControl: "max-age=60"])
            #expect(try await fixture.get("/a", [.accept: "x"]).text == "one")
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", [.accept: "x"])) != nil)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", [.accept: "y"])) == nil)
        }

        @Test func tenThousandVariantsTakeTheRoomOfAFew() async throws {
            let fixture = try HTTPFixture { $0.variantsMax = 8 }
            fixture.transport.otherwise { _ in .of(200, [.cacheControl: "max-age=600", .vary: "x-id"], "body") }
            let name = try #require(HTTPField.Name("X-Id"))
            let cache = fixture.cache
            // Several at once, because a request waits for threads most of its time; the last ones after all others.
            for start in stride(from: 0, to: 9984, by: 16) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in start..<start + 16 {
                        group.addTask {
                            let answer = try await cache.response(for: HTTPFixture.request("/a", [name: "\(number)"]))
                            #expect(answer.cacheStatus.isStored && answer.storageError == nil)
                        }
                    }
                    try await group.waitForAll()
                }
                fixture.time.advance(milliseconds: 1)
            }
            for number in 9984..<10_000 { try await fixture.get("/a", [name: "\(number)"]) }
            // The secret, the index, and the variants.
            #expect(try fixture.cache.namespace.count() == 2 + 8)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", [name: "9999"])) != nil)
            #expect(try fixture.cache.storedResponse(for: HTTPFixture.request("/a", [name: "0"])) == nil)
        }

        @Test func tenThousandDifferentVaryFieldsTakeTheRoomOfAFew() async throws {
            let fixture = try HTTPFixture { $0.variantsMax = 4 }
            fixture.transport.otherwise { request in
                .of(200, [.cacheControl: "max-age=600", .vary: "x-\(request.headerFields[.accept] ?? "")"], "body")
            }
            for number in 0..<1000 { try await fixture.get("/a", [.accept: "\(number)"], .revalidate) }
            let entries = try fixture.cache.namespace.entries.array()
            let indexBytes = try entries.map { try $0.payload().bytes.count }.max() ?? 0
            #expect(entries.count <= 2 + 4 && indexBytes < 1000)
        }
    }
#endif
