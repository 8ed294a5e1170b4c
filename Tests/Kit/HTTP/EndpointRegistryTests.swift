#if HTTP
    import HTTPTypes
    import Shale
    import Testing

    @testable import ShaleHTTP

    private struct ItemQuery: Sendable {
        var id: Int
        var tags: [String] = []
        var item: Item? = nil
    }

    private struct Item: Codable, Sendable, Equatable {
        var name: String
    }

    extension Endpoints {
        fileprivate static let item = EndpointKey<ItemQuery, Item>("item")
        fileprivate static let save = EndpointKey<ItemQuery, Void>("save")
        fileprivate static let raw = EndpointKey<ItemQuery, [UInt8]>("item")
    }

    @Suite struct EndpointRegistryTests {
        private static let endpoint = Endpoint<ItemQuery, Item>(
            .get, "/items/{id}{?tags*}",
            parameters: [EndpointParameter("id", \.id), EndpointParameter("tags", \.tags)], response: .json)

        private func registry(_ fixture: HTTPFixture) throws -> EndpointRegistry {
            let registry = try EndpointRegistry(
                cache: fixture.cache,
                environments: [
                    "production": EndpointEnvironment(
                        baseURL: "https://api.example.org/v1/", headerFields: [.userAgent: "test", .accept: "a/b"]),
                    "staging": EndpointEnvironment(baseURL: "http://localhost:8080"),
                ], current: "production")
            try registry.register(EndpointRegistryTests.endpoint, as: .item)
            try registry.register(
                Endpoint(
                    .put, "/items/{id}", parameters: [EndpointParameter("id", \.id)],
                    request: .json(\ItemQuery.item), response: .ignored), as: .save)
            return registry
        }

        @Test func aRequestIsMadeFromTheEndpointAndTheEnvironment() throws {
            let registry = try registry(HTTPFixture())
            let (request, body) = try registry.request(.item, ItemQuery(id: 7, tags: ["a", "b/c"]))
            #expect(request.method == .get && request.scheme == "https" && request.authority == "api.example.org")
            #expect(request.path == "/v1/items/7?tags=a&tags=b%2Fc" && body.isEmpty)
            #expect(request.headerFields[.userAgent] == "test" && request.headerFields[.accept] == "a/b")
            let (save, content) = try registry.request(.save, ItemQuery(id: 7, item: Item(name: "x")))
            #expect(save.headerFields[.contentType] == "application/json")
            #expect(String(decoding: content, as: UTF8.self) == "{\"name\":\"x\"}")
        }

        @Test func aCallIsDecodedAndCached() async throws {
            let fixture = try HTTPFixture()
            let registry = try registry(fixture)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "{\"name\":\"tea\"}")
            #expect(try await registry.call(.item, ItemQuery(id: 1)).value == Item(name: "tea"))
            let answer = try await registry.call(.item, ItemQuery(id: 1))
            #expect(answer.value == Item(name: "tea") && answer.cacheStatus.isHit && fixture.sentCount == 1)
        }

        @Test func aChangeThroughTheRegistryInvalidates() async throws {
            let fixture = try HTTPFixture()
            let registry = try registry(fixture)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "{\"name\":\"tea\"}")
            fixture.transport.reply(204)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "{\"name\":\"salt\"}")
            _ = try await registry.call(.item, ItemQuery(id: 1))
            try await registry.call(.save, ItemQuery(id: 1, item: Item(name: "salt"))).value
            #expect(try await registry.call(.item, ItemQuery(id: 1)).value == Item(name: "salt"))
        }

        @Test func environmentsDoNotShareResponses() async throws {
            let fixture = try HTTPFixture()
            let registry = try registry(fixture)
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "{\"name\":\"tea\"}")
            fixture.transport.reply(200, [.cacheControl: "max-age=60"], "{\"name\":\"staged\"}")
            _ = try await registry.call(.item, ItemQuery(id: 1))
            try registry.use(environment: "staging")
            #expect(try await registry.call(.item, ItemQuery(id: 1)).value == Item(name: "staged"))
            #expect(fixture.transport.requests.last?.authority == "localhost:8080")
            #expect(await httpCode { try registry.use(environment: "none") } == .unknownEndpoint)
            #expect(registry.currentEnvironment == "staging")
        }

        @Test func anErrorStatusIsThrownWithItsResponse() async throws {
            let fixture = try HTTPFixture()
            let registry = try registry(fixture)
            fixture.transport.reply(403, [:], "no")
            do {
                _ = try await registry.call(.item, ItemQuery(id: 1))
                Issue.record("no error")
            } catch {
                #expect(error.code == .status && error.response?.status.code == 403)
                #expect(error.body == Array("no".utf8))
            }
        }

        @Test func aBodyThatCantBeDecodedIsThrown() async throws {
            let fixture = try HTTPFixture()
            let registry = try registry(fixture)
            fixture.transport.reply(200, [.contentEncoding: "gzip"], "not gzip, nor JSON")
            #expect(await httpCode { _ = try await registry.call(.item, ItemQuery(id: 1)) } == .codecFailure)
        }

        @Test func onlyMatchingDeclarationsAreRegistered() throws {
            let registry = try registry(HTTPFixture())
            let key = EndpointKey<ItemQuery, Item>("other")
            #expect(throws: HTTPCacheError.self) {
                try registry.register(EndpointRegistryTests.endpoint, as: .item)
            }
            #expect(throws: HTTPCacheError.self) {
                try registry.register(Endpoint(.get, "/items/{id}", response: .json), as: key)
            }
            #expect(throws: HTTPCacheError.self) {
                try registry.register(
                    Endpoint(.get, "/items", parameters: [EndpointParameter("id", \.id)], response: .json), as: key)
            }
            #expect(throws: HTTPCacheError.self) { try registry.request(key, ItemQuery(id: 1)) }
            #expect(throws: HTTPCacheError.self) { try registry.request(.raw, ItemQuery(id: 1)) }
        }

        @Test(arguments: ["example.org", "/v1", "ftp://a/", "https://a/?x"])
        func aBaseURLIsAbsoluteAndHasNoQuery(_ url: String) throws {
            let cache = try HTTPFixture().cache
            #expect(throws: HTTPCacheError.self) {
                try EndpointRegistry(
                    cache: cache, environments: ["a": EndpointEnvironment(baseURL: url)], current: "a")
            }
        }
    }
#endif
