import Foundation
import Testing

@testable import ShaleCommand

@Suite struct ImportCommandTests {
    @Test func linesOfJSONCanBeReadBackByKey() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(
            "{\"id\": \"a\", \"n\": 1}\n{\"id\": \"b\", \"n\": [true, null]}\n", to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "things", file, "--key", "id").status == 0)
        let got = try sandbox.shale("get", sandbox.store, "things", "b")
        #expect(got.output == "{\"id\":\"b\",\"n\":[true,null]}\n")
        #expect(got.status == 0)
    }

    @Test func stanzasAndTheirPurgeableFieldGoToTwoNamespaces() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(
            "Package: a\nVersion: 1\nArchitecture: all\nDescription: one\n two\n\n"
                + "Package: b\nVersion: 2\nArchitecture: all\n", to: "Packages")
        let done = try sandbox.shale(
            "import", sandbox.store, "packages", file, "--purgeable-field", "Description", "--json")
        let report = try done.json()
        #expect(report["records"] as? Int == 2)
        #expect(report["entries"] as? Int == 3)
        #expect(try sandbox.shale("scan", sandbox.store, "packages", "--keys-only").output == "a/1/all\nb/2/all\n")
        let entry = try sandbox.shale("get", sandbox.store, "packages/Description", "a/1/all", "--json").json()["entry"]
        let members = try #require(entry as? [String: Any])
        #expect(members["value"] as? String == "one\n two")
        #expect(members["type"] as? String == "string")
        #expect(members["purgeable"] as? Bool == true)
    }

    @Test func aDictionaryOfAPropertyListKeepsTheTypesOfItsMembers() throws {
        let sandbox = try Sandbox()
        let list: [String: Any] = ["name": "x", "size": 3, "on": false, "data": Data([0, 255]), "tree": ["a": [1]]]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let file = try sandbox.write(bytes, to: "settings.plist")
        #expect(try sandbox.shale("import", sandbox.store, "settings", file).status == 0)
        let scan = try sandbox.shale("scan", sandbox.store, "settings", "--json").json()
        let entries = try #require(scan["entries"] as? [[String: Any]])
        #expect(entries.map { $0["type"] as? String } == ["data", "string", "bool", "int", "propertyList"])
        #expect(entries.map { $0["key"] as? String } == ["data", "name", "on", "size", "tree"])
        #expect(entries[0]["value"] as? String == "AP8=")
        #expect(try sandbox.shale("get", sandbox.store, "settings", "data", "--raw").output.utf8.count > 0)
    }

    @Test func standardInputCanBeImported() throws {
        let sandbox = try Sandbox()
        let done = try sandbox.shale(
            "import", sandbox.store, "n", "-", "--input-format", "ndjson", "--key", "k", input: "{\"k\":1}\n{\"k\":2}\n"
        )
        #expect(done.status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--count").output == "2\n")
    }

    @Test func importingAgainChangesNothingAndResumingSkipsWhatIsThere() throws {
        let sandbox = try Sandbox()
        let lines = (0..<500).map { "{\"k\":\($0),\"text\":\"t\"}" }.joined(separator: "\n")
        let file = try sandbox.write(lines, to: "x.ndjson")
        let arguments = ["import", sandbox.store, "n", file, "--key", "k", "--purgeable-field", "text", "--json"]
        #expect(try sandbox.run(arguments).json()["entries"] as? Int == 1000)
        let before = try sandbox.shale("scan", sandbox.store, "n").output
        #expect(try sandbox.run(arguments).json()["entries"] as? Int == 1000)
        #expect(try sandbox.shale("scan", sandbox.store, "n").output == before)
        let resumed = try sandbox.run(arguments + ["--resume"]).json()
        #expect(resumed["skippedRecords"] as? Int == 500)
        #expect(resumed["entries"] as? Int == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n").output == before)
    }

    @Test func malformedInputEndsWithItsPlaceAndKeepsTheBatchesBeforeIt() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("{\"k\":1}\n{\"k\":2}\n{\"k\":}\n", to: "x.ndjson")
        let done = try sandbox.shale("import", sandbox.store, "n", file, "--key", "k", "--batch", "1")
        #expect(done.status == 65)
        #expect(done.errors.contains("line 3"))
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "1\n2\n")
    }

    @Test func acknowledgementsNameEveryBatch() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write((0..<10).map { "{\"k\":\($0)}\n" }.joined(), to: "x.ndjson")
        let acknowledgements = "\(sandbox.path)/acks"
        let done = try sandbox.shale(
            "import", sandbox.store, "n", file, "--key", "k", "--batch", "4", "--ack-file", acknowledgements)
        #expect(done.status == 0)
        let lines = try String(contentsOfFile: acknowledgements, encoding: .utf8).split(separator: "\n")
        let prefixes = lines.compactMap { AcknowledgedPrefix(line: $0) }
        #expect(prefixes.map(\.batches) == [1, 2, 3])
        #expect(prefixes.map(\.records) == [4, 8, 10])
    }
}
