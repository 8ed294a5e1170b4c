import Testing

@testable import ShaleCommand

@Suite struct JSONOutputTests {
    @Test func everyCommandGivesOneObjectWithItsSchemaAndName() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("{\"k\":1,\"t\":\"x\"}\n{\"k\":2,\"t\":\"y\"}\n", to: "x.ndjson")
        let commands: [([String], [String])] = [
            (
                ["import", sandbox.store, "n", file, "--key", "k", "--purgeable-field", "t"],
                [
                    "records", "skippedRecords", "entries", "batches", "inputBytes", "seconds", "userBytes",
                    "writtenBytes",
                ]
            ),
            (["get", sandbox.store, "n", "1"], ["namespace", "entry"]),
            (["scan", sandbox.store, "n"], ["namespace", "entries", "count"]),
            (["scan", sandbox.store, "n", "--keys-only"], ["entries", "count"]),
            (["scan", sandbox.store, "n", "--count"], ["count"]),
            (
                ["stats", sandbox.store],
                ["namespaces", "levels", "storedBytes", "allocatedBytes", "files", "recovery"]
            ),
            (["purge", sandbox.store, "--dry-run"], ["entries", "rawBytes", "returnedBytes", "isDryRun"]),
            (["purge", sandbox.store, "--yes"], ["entries", "rawBytes", "returnedBytes", "isDryRun", "seconds"]),
            (
                ["compact", sandbox.store],
                ["readBytes", "writtenBytes", "returnedBytes", "storedBytesAfter", "seconds"]
            ),
            (["verify", sandbox.store], ["files", "bytes", "entries", "problems", "seconds"]),
        ]
        for (arguments, members) in commands {
            let outcome = try sandbox.run(arguments + ["--json"])
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            let object = try outcome.json()
            #expect(object["schema"] as? Int == 1, "\(arguments)")
            #expect(object["command"] as? String == arguments[0])
            for member in members { #expect(object[member] != nil, "\(arguments): \(member)") }
            #expect(outcome.output.hasSuffix("\n"))
        }
    }

    @Test func errorsAreObjectsOnStandardError() throws {
        let sandbox = try Sandbox()
        let outcome = try sandbox.shale("stats", sandbox.store, "--json")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("\"schema\":1"))
        #expect(outcome.errors.contains("\"code\":\"missing\""))
        #expect(outcome.errors.contains("\"exitCode\":5"))
    }

    @Test func aPurgeTakesWhatADryRunSaidAndNothingElse() throws {
        let sandbox = try Sandbox()
        let lines = (0..<3000).map { "{\"k\":\($0),\"t\":\"text \($0)\"}\n" }.joined()
        let file = try sandbox.write(lines, to: "x.ndjson")
        try sandbox.shale("import", sandbox.store, "n", file, "--key", "k", "--purgeable-field", "t")
        let foreseen = try sandbox.shale("purge", sandbox.store, "--dry-run", "--json").json()
        #expect(try sandbox.shale("scan", sandbox.store, "n/t", "--count").output == "3000\n")
        let before = try DirectorySize(of: sandbox.store)
        let done = try sandbox.shale("purge", sandbox.store, "--yes", "--json").json()
        let after = try DirectorySize(of: sandbox.store)
        #expect(foreseen["entries"] as? Int == 3000)
        #expect(done["entries"] as? Int == 3000)
        let returned = try #require(done["returnedBytes"] as? Int)
        #expect(abs(Int(before.lengthBytes) - Int(after.lengthBytes) - returned) < 16 << 10)
        #expect(try sandbox.shale("scan", sandbox.store, "n/t", "--count").output == "0\n")
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count").output == "3000\n")
    }
}
