#if HTTP
    import HTTPTypes
    import Testing

    @testable import ShaleHTTP

    @Suite struct RequestTargetTests {
        private func url(_ scheme: String, _ authority: String, _ path: String?) -> String? {
            RequestTarget(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))?.url
        }

        @Test func equalTargetsHaveOneForm() {
            #expect(url("HTTPS", "Example.ORG:443", "/A?b#c") == "https://example.org/A?b")
            #expect(url("http", "example.org:80", nil) == "http://example.org/")
            #expect(url("https", "example.org:80", "?q") == "https://example.org:80/?q")
            #expect(url("https", "example.org", "/a%2Fb") == "https://example.org/a%2Fb")
        }

        @Test func aRequestWithoutAuthorityHasNone() {
            #expect(RequestTarget(HTTPRequest(method: .get, scheme: nil, authority: "a", path: "/")) == nil)
            #expect(RequestTarget(HTTPRequest(method: .get, scheme: "https", authority: nil, path: "/")) == nil)
        }

        @Test(arguments: [
            ("/x?y", "https://example.org/x?y"), ("https://other.org/x", "https://other.org/x"),
            ("//other.org/x", "https://other.org/x"), ("next", "https://example.org/a/next"),
            ("?p=2", "https://example.org/a/b?p=2"),
        ])
        func referencesAreResolved(_ reference: String, _ url: String) throws {
            let base = try #require(RequestTarget(url: "https://example.org/a/b?q"))
            #expect(base.resolving(reference)?.url == url)
        }

        @Test(arguments: ["mailto:a@b", "ftp://a/b", "../x", "https://", ""])
        func otherReferencesNameNoTarget(_ reference: String) throws {
            let base = try #require(RequestTarget(url: "https://example.org/a/b"))
            #expect(base.resolving(reference) == nil)
        }

        @Test func originsAreSchemeHostAndPort() throws {
            let base = try #require(RequestTarget(url: "https://example.org/a"))
            #expect(base.isSameOrigin(as: try #require(RequestTarget(url: "https://EXAMPLE.org:443/b"))))
            #expect(!base.isSameOrigin(as: try #require(RequestTarget(url: "http://example.org/a"))))
            #expect(!base.isSameOrigin(as: try #require(RequestTarget(url: "https://example.org:8443/a"))))
        }
    }
#endif
