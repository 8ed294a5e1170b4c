import Testing

@testable import ShaleCommand

/// `get` with several keys.
@Suite struct GetSeveralKeysTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shale("put", sandbox.store, "n", "a", "1", "--create")
        try sandbox.shale("put", sandbox.store, "n", "b", "two\nlines")
        return sandbox
    }

    @Test func keysAreShownInTheGivenOrder() throws {
        let sandbox = try sandbox()
        let get = try sandbox.shale("get", sandbox.store, "n", "b", "a", "b")
        #expect(get.status == 0 && get.errors.isEmpty)
        #expect(get.output == "b\ttwo\\nlines\na\t1\nb\ttwo\\nlines\n")
        #expect(try sandbox.shale("get", sandbox.store, "n", "a", "b", "--raw").status == 64)
    }

    @Test func missingKeysAreNamedAndTheOthersShown() throws {
        let sandbox = try sandbox()
        let get = try sandbox.shale("get", sandbox.store, "n", "x", "a", "\\xff")
        #expect(get.status == 1)
        #expect(get.output == "a\t1\n")
        #expect(get.errors == "shale: there is no key x in n\nshale: there is no key \\xff in n\n")
        let lines = try sandbox.shale("get", sandbox.store, "n", "x", "a", "--format", "ndjson")
        #expect(lines.status == 1)
        #expect(lines.output.contains(#""key":"a""#) && lines.errors.contains(#""code":"notFound""#))
    }

    @Test func aJSONAnswerHasTheEntriesAndTheMissingKeys() throws {
        let sandbox = try sandbox()
        let get = try sandbox.shale("get", sandbox.store, "n", "b", "x", "a", "\\xff", "--json")
        #expect(get.status == 1 && get.errors.isEmpty)
        let json = try get.json()
        #expect((json["entries"] as? [[String: Any]])?.map { $0["key"] as? String } == ["b", "a"])
        let missing = try #require(json["missing"] as? [[String: String]])
        #expect(missing == [["key": "x"], ["keyBase64": "/w=="]])
    }
}
