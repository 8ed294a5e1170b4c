import Testing

@testable import ShaleCommand

@Suite struct WriteCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "first", "1", "--create").status == 0)
        return sandbox
    }

    @Test func eachTypeComesBackAsItself() throws {
        let sandbox = try sandbox()
        let values: [(type: String, given: String, shown: String)] = [
            ("string", "a\tb ", "a\tb "), ("int", " -7\n", "-7"), ("double", "0.5", "0.5"), ("bool", "true", "true"),
            ("date", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"), ("data", "\u{1}x", "AXg="),
            ("uuid", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
            ("url", "https://example.org/a", "https://example.org/a"),
            ("json", #"{ "b": [1, null], "a": 2 }"#, #"{"a":2,"b":[1,null]}"#),
        ]
        for (type, given, shown) in values {
            #expect(try sandbox.run(["put", sandbox.store, "n", type, given, "--type", type]).status == 0, "\(type)")
            #expect(try sandbox.shale("get", sandbox.store, "n", type).output == shown + "\n")
            let entry = try sandbox.shale("get", sandbox.store, "n", type, "--json").json()["entry"] as? [String: Any]
            #expect(entry?["type"] as? String == type)
        }
        for type in ["int", "double", "bool", "date", "uuid", "json"] {
            #expect(try sandbox.shale("put", sandbox.store, "n", "bad", "x y", "--type", type).status == 64, "\(type)")
        }
        #expect(try sandbox.shale("get", sandbox.store, "n", "bad").status == 1)
    }

    @Test func aValueComesFromStandardInputOrAFileByteByByte() throws {
        let sandbox = try sandbox()
        let file = try sandbox.write("from a file\n", to: "value")
        #expect(try sandbox.shale("put", sandbox.store, "n", "in", input: "piped\n").status == 0)
        #expect(try sandbox.shale("put", sandbox.store, "n", "file", "--file", file).status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "in", "--raw").output == "piped\n")
        #expect(try sandbox.shale("get", sandbox.store, "n", "file", "--raw").output == "from a file\n")
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--file", file).status == 64)
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "--file", "\(file)-none").status == 5)
    }

    @Test func optionsOfTheEntryAreKept() throws {
        let sandbox = try sandbox()
        try sandbox.shale("put", sandbox.store, "n", "p", "1", "--purgeable", "--expires-after", "1d")
        let entry = try sandbox.shale("get", sandbox.store, "n", "p", "--json").json()["entry"] as? [String: Any]
        #expect(entry?["purgeable"] as? Bool == true)
        #expect((entry?["expiresAt"] as? String)?.hasSuffix("Z") == true)
        for lifetime in ["0d", "-1s", "d", "5", "5w", "99999999999999999999s"] {
            #expect(try sandbox.run(["put", sandbox.store, "n", "p", "1", "--expires-after=\(lifetime)"]).status == 64)
        }
    }

    @Test func aSecretIsNotTakenFromAnArgumentAndNeedsAKey() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "s", "secret", "--encrypted").status == 64)
        #expect(try sandbox.shale("put", sandbox.store, "n", "s", "--encrypted", input: "secret").status == 4)
        let key = ["SHALE_KEY": String(repeating: "5a", count: 32)]
        let put = try sandbox.run(["put", sandbox.store, "n", "s", "--encrypted"], input: "secret", environment: key)
        #expect(put.status == 0, "\(put.errors)")
        let get = ["get", sandbox.store, "n", "s"]
        #expect(try sandbox.run(get + ["--reveal"], environment: key).output == "secret\n")
        #expect(try sandbox.run(get).output == "(encrypted string, 22 bytes)\n")
    }

    @Test func putMakesAStoreOnlyWhenToldTo() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v").status == 5)
        #expect(try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create").status == 0)
    }

    @Test func deleteRemovesKeysAndSaysWhichWereNotThere() throws {
        let sandbox = try sandbox()
        for key in ["a1", "a2", "b"] { try sandbox.shale("put", sandbox.store, "n", key, "v") }
        #expect(try sandbox.shale("delete", sandbox.store, "n", "a1", "--dry-run").output == "would remove 1 key\n")
        let partly = try sandbox.shale("delete", sandbox.store, "n", "b", "none", "--json")
        #expect(partly.status == 1)
        #expect(try partly.json()["removed"] as? Int == 1)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "a1\na2\nfirst\n")
        let asked = try sandbox.shale("delete", sandbox.store, "n", "--prefix", "a")
        #expect(asked.status == 64 && asked.errors.contains("removes 2 keys of n"))
        #expect(try sandbox.shale("delete", sandbox.store, "n", "--prefix", "a", "--yes").output == "removed 2 keys\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "first\n")
        #expect(try sandbox.shale("delete", sandbox.store, "n").status == 64)
    }

    @Test func dropTakesANamespaceOrASubtreeAndAsks() throws {
        let sandbox = try sandbox()
        for name in ["n/a", "n/a/b", "m"] { try sandbox.shale("put", sandbox.store, name, "k", "v") }
        let foreseen = try sandbox.shale("drop", sandbox.store, "n", "--subtree", "--dry-run", "--json").json()
        #expect(foreseen["namespaces"] as? Int == 3)
        #expect(try sandbox.shale("drop", sandbox.store, "n", "--subtree").status == 64)
        #expect(try sandbox.shale("drop", sandbox.store, "n/a", "--yes").status == 0)
        let names = try sandbox.shale("namespaces", sandbox.store, "--format", "csv").output.split(separator: "\n")
        #expect(names.dropFirst().map { $0.split(separator: ",")[0] } == ["m", "n", "n/a/b"])
        #expect(try sandbox.shale("drop", sandbox.store, "n", "--subtree", "--yes").status == 0)
        #expect(try sandbox.shale("drop", sandbox.store, "n", "--yes").status == 1)
        #expect(try sandbox.shale("get", sandbox.store, "m", "k").status == 0)
    }

    @Test func aPurgeAsks() throws {
        let sandbox = try sandbox()
        try sandbox.shale("put", sandbox.store, "n", "p", "v", "--purgeable")
        let asked = try sandbox.shale("purge", sandbox.store)
        #expect(asked.status == 64 && asked.errors.contains("purges 1 entry"))
        #expect(try sandbox.shale("purge", sandbox.store, "--yes").status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "first\n")
    }
}
