import Foundation
import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// `diff` of two stores.
@Suite struct DiffCommandTests {
    private func pair() throws -> (Sandbox, one: String, other: String) {
        let sandbox = try Sandbox()
        let file = try sandbox.write((0..<100).map { "{\"k\":\"\($0)\"}\n" }.joined(), to: "x.ndjson")
        for name in ["one", "other"] {
            let store = "\(sandbox.path)/\(name)"
            #expect(try sandbox.shale("import", store, "n", file, "--key", "k").status == 0)
            #expect(try sandbox.shale("put", store, "m", "k", "v").status == 0)
        }
        return (sandbox, "\(sandbox.path)/one", "\(sandbox.path)/other")
    }

    @Test func equalStoresHaveNoDifferenceHoweverTheyWereWritten() throws {
        let (sandbox, one, other) = try pair()
        #expect(try sandbox.shale("compact", other).status == 0)
        let same = try sandbox.shale("diff", one, other)
        #expect(same.status == 0 && same.output.isEmpty && same.errors.isEmpty)
        let copy = "\(sandbox.path)/copy"
        #expect(try sandbox.shale("copy", one, "--into", copy).status == 0)
        #expect(try sandbox.shale("diff", one, copy, "--quiet").status == 0)
        #expect(try sandbox.shale("diff", one, one, "--json").json()["count"] as? Int == 0)
    }

    @Test func eachKindOfDifferenceIsALine() throws {
        let (sandbox, one, other) = try pair()
        try sandbox.shale("put", one, "n", "only", "1")
        try sandbox.shale("put", other, "n", "\\xff", "1")
        try sandbox.shale("put", other, "n", "5", "5", "--type", "int", "--purgeable")
        try sandbox.shale("touch", other, "n", "6", "--expires-after", "1d")
        try sandbox.shale("put", one, "first", "k", "1")
        try sandbox.shale("put", other, "second", "k", "1", "--user", "u")
        try sandbox.shale("options", other, "m", "--purgeable")
        let diff = try sandbox.shale("diff", one, other)
        #expect(diff.status == 1)
        let expected = [
            "- first", "+ u:second", "~ m\toptions", "- n\tonly", "+ n\t\\xff", "~ n\t5\tvalue, type, purgeability",
            "~ n\t6\texpiry",
        ]
        #expect(Set(diff.output.split(separator: "\n").map(String.init)) == Set(expected), "\(diff.output)")
        let keys = try sandbox.shale("diff", one, other, "--keys-only", "--namespace", "n")
        #expect(keys.status == 1 && keys.output == "- n\tonly\n+ n\t\\xff\n")
        #expect(try sandbox.shale("diff", one, other, "--namespace", "m", "--keys-only").status == 0)
        #expect(try sandbox.shale("diff", one, other, "--user", "u").output == "+ u:second\n")
        let backwards = try sandbox.shale("diff", other, one, "--namespace", "n", "--keys-only")
        #expect(backwards.output == "+ n\tonly\n- n\t\\xff\n")
    }

    @Test func theDifferencesHaveEveryForm() throws {
        let (sandbox, one, other) = try pair()
        try sandbox.shale("put", other, "n", "5", "x")
        let json = try sandbox.shale("diff", one, other, "--json")
        #expect(json.status == 1)
        let rows = try #require(try json.json()["differences"] as? [[String: Any]])
        #expect(rows.count == 1 && rows[0]["place"] as? String == "both" && rows[0]["key"] as? String == "5")
        #expect(rows[0]["differs"] as? [String] == ["value", "type"])
        let csv = try sandbox.shale("diff", one, other, "--format", "csv").output
        #expect(csv == "place,namespace,user,key,keyBase64,differs\nboth,n,,5,,\"[\"\"value\"\",\"\"type\"\"]\"\n")
        let quiet = try sandbox.shale("diff", one, other, "--quiet", "--json")
        #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    @Test func aLimitEndsTheComparison() throws {
        let (sandbox, one, other) = try pair()
        #expect(try sandbox.shale("delete", other, "n", "--from", "", "--yes").status == 0)
        let diff = try sandbox.shale("diff", one, other, "--limit", "3")
        #expect(diff.status == 1 && diff.output.split(separator: "\n").count == 3)
        #expect(try sandbox.shale("diff", one, other).output.split(separator: "\n").count == 100)
        #expect(try sandbox.shale("diff", one, other, "--limit", "0").status == 64)
        #expect(try sandbox.shale("diff", one, other, "--namespace", "none").status == 1)
        #expect(try sandbox.shale("diff", one, "\(sandbox.path)/absent").status == 5)
    }

    @Test func encryptedValuesAreComparedWithAKeyOnly() throws {
        let (sandbox, one, other) = try pair()
        let key = ["SHALE_KEY": String(repeating: "5a", count: 32)]
        for store in [one, other] {
            let put = ["put", store, "m", "s", "--encrypted"]
            #expect(try sandbox.run(put, input: "secret", environment: key).status == 0)
        }
        #expect(try sandbox.run(["diff", one, other], environment: key).status == 0)
        let blind = try sandbox.run(["diff", one, other])
        #expect(blind.status == 1 && blind.output == "~ m\ts\tvalue\n")
        #expect(try sandbox.run(["diff", one, one]).status == 0)
        #expect(try sandbox.run(["put", other, "m", "s"], input: "secret").status == 0)
        #expect(try sandbox.run(["diff", one, other], environment: key).output == "~ m\ts\tencryption\n")
    }

    @Test func timesOfWritingDoNotCount() throws {
        let (sandbox, one, other) = try pair()
        for store in [one, other] {
            try sandbox.shale("options", store, "m", "--purge-after", "30d")
            try sandbox.shale("put", store, "m", "timed", "v")
        }
        #expect(try sandbox.shale("diff", one, other).output == "")
    }
}
