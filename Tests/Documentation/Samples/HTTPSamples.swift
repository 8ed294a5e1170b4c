#if HTTP
    import HTTPTypes
    import ShaleHTTP
    import Testing

    struct ArticleQuery: Sendable {
        var id: Int
        var fields: [String]
    }

    struct Article: Codable, Sendable, Equatable {
        var title: String
        var words: Int
    }

    extension Endpoints {
        static let article = EndpointKey<ArticleQuery, Article>("article")
    }

    /// An origin that has one article.
    private struct ArticleTransport: HTTPTransport {
        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> HTTPReply {
            HTTPReply(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: HTTPBody(Array(#"{"title": "tea", "words": 2}"#.utf8)))
        }
    }

    @Suite struct HTTPSamples {
        @Test func responsesAreCached() async throws {
            let place = try TemporaryPlace()
            defer { place.remove() }
            let store = try Store(at: place.path + "/store")
            let transport = ArticleTransport()
            let cache = try HTTPCache(in: store.common["http"], transport: transport)
            let request = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/articles/7")
            let answer = try await cache.response(for: request)
            let body = try await answer.body.bytes(upTo: 1 << 20)
            print(answer.cacheStatus, answer.isOffline, body.count)
            let api = try EndpointRegistry(
                cache: cache, environments: ["production": EndpointEnvironment(baseURL: "https://example.org")],
                current: "production")
            try api.register(
                Endpoint(
                    .get, "/articles/{id}{?fields}",
                    parameters: [EndpointParameter("id", \.id), EndpointParameter("fields", \.fields)],
                    response: .json),
                as: .article)
            let article = try await api.call(.article, ArticleQuery(id: 7, fields: ["title", "words"])).value
            #expect(article == Article(title: "tea", words: 2))
            #expect(try cache.storedResponse(for: request) != nil)
            try await store.close()
        }
    }
#endif
