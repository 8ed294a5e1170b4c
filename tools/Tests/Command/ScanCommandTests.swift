import Testing

@testable import ShaleCommand

@Suite struct ScanCommandTests {
    private func sandbox(_ keys: [String]) throws -> Sandbox {
        let sandbox = try Sandbox()
        let file = try sandbox.write(keys.map { "{\"k\":\"\($0)\"}\n" }.joined(), to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k").status == 0)
        return sandbox
    }

    @Test func rangesPrefixesOrderAndLimitsChooseEntries() throws {
        let sandbox = try sandbox(["b", "a", "c", "ba", "bb"])
        let scan = { (options: [String]) in
            try sandbox.run(["scan", sandbox.store, "n", "--keys-only"] + options).output.split(separator: "\n")
        }
        #expect(try scan([]) == ["a", "b", "ba", "bb", "c"])
        #expect(try scan(["--reverse"]) == ["c", "bb", "ba", "b", "a"])
        #expect(try scan(["--prefix", "b"]) == ["b", "ba", "bb"])
        #expect(try scan(["--from", "b", "--to", "bb"]) == ["b", "ba"])
        #expect(try scan(["--from", "62", "--to", "63", "--hex", "--reverse", "--limit", "2"]) == ["bb", "ba"])
        #expect(try scan(["--prefix", "x"]) == [])
        #expect(try scan(["--limit", "0"]) == [])
    }

    @Test func countingFollowsTheSameOptions() throws {
        let sandbox = try sandbox(["b", "a", "c", "ba", "bb"])
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count").output == "5\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count", "--prefix", "b").output == "3\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count", "--limit", "2").output == "2\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count", "--json").json()["count"] as? Int == 5)
    }

    @Test func aLineIsAKeyATabAndTheValue() throws {
        let sandbox = try sandbox(["a"])
        #expect(try sandbox.shale("scan", sandbox.store, "n").output == "a\t{\"k\":\"a\"}\n")
    }

    @Test func aUsersNamespaceIsNotTheCommonOneOfTheSameName() throws {
        let sandbox = try sandbox(["a"])
        let file = try sandbox.write("{\"k\":\"mine\"}\n", to: "y.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k", "--user", "u").status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "a\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only", "--user", "u").output == "mine\n")
    }
}
