import Foundation
import Testing

@testable import ShaleCommand

/// Patterns and continuation of `scan`.
@Suite struct ScanContinuationTests {
    private func sandbox(_ keys: [String]) throws -> Sandbox {
        let sandbox = try Sandbox()
        let file = try sandbox.write(keys.map { "{\"k\":\"\($0)\"}\n" }.joined(), to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k").status == 0)
        return sandbox
    }

    @Test func aPatternChoosesWholeKeys() throws {
        let sandbox = try sandbox(["lib", "liba-dev", "liba", "libb-dev", "xlib-dev", "li*"])
        let scan = { (options: [String]) in
            try sandbox.run(["scan", sandbox.store, "n", "--keys-only"] + options).output.split(separator: "\n")
        }
        #expect(try scan(["--match", "lib*-dev"]) == ["liba-dev", "libb-dev"])
        #expect(try scan(["--match", "lib?"]) == ["liba"])
        #expect(try scan(["--match", "*-dev", "--reverse"]) == ["xlib-dev", "libb-dev", "liba-dev"])
        #expect(try scan(["--match", "li\\*"]) == ["li*"])
        #expect(try scan(["--match", "*dev", "--prefix", "libb"]) == ["libb-dev"])
        #expect(try scan(["--match", "*dev", "--limit", "1"]) == ["liba-dev"])
        #expect(try scan(["--match", "nothing*"]) == [])
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--match", "lib*", "--count").output == "4\n")
        #expect(
            try sandbox.shale("scan", sandbox.store, "n", "--match", "lib*", "--count", "--limit", "2").output == "2\n")
    }

    @Test func thePrintedOptionContinuesTheListToItsEnd() throws {
        let keys = ["a", "b c", "b'd", "b\\\\e", "-f", "bü", "c"]
        let sandbox = try sandbox(keys)
        for direction in [[], ["--reverse"]] {
            let all = try sandbox.run(["scan", sandbox.store, "n", "--keys-only"] + direction).output
            var listed = ""
            var next: [String] = []
            for _ in keys {
                let scan = try sandbox.run(
                    ["scan", sandbox.store, "n", "--keys-only", "--limit", "1"] + direction + next)
                listed += scan.output
                guard let start = scan.errors.range(of: "--after=") else {
                    #expect(scan.errors.isEmpty)
                    break
                }
                // Removes the quotes as a shell does.
                var word = String(scan.errors[start.upperBound...].dropLast())
                if word.hasPrefix("'") {
                    word = String(word.dropFirst().dropLast()).replacing("'\"'\"'", with: "'")
                }
                next = ["--after=\(word)"]
            }
            #expect(listed == all)
        }
    }

    @Test func afterIsExclusiveAndStaysInTheRange() throws {
        let sandbox = try sandbox(["a", "b", "ba", "bb", "c"])
        let scan = { (options: [String]) in
            try sandbox.run(["scan", sandbox.store, "n", "--keys-only"] + options).output.split(separator: "\n")
        }
        #expect(try scan(["--after", "b"]) == ["ba", "bb", "c"])
        #expect(try scan(["--after", "b", "--reverse"]) == ["a"])
        #expect(try scan(["--after", "ba", "--prefix", "b"]) == ["bb"])
        #expect(try scan(["--after", "z", "--prefix", "b"]) == [])
        #expect(try scan(["--after", "a", "--from", "bb"]) == ["bb", "c"])
        #expect(try scan(["--after", "bb", "--to", "b"]) == [])
        #expect(try scan(["--after", "62", "--hex", "--limit", "1"]) == ["ba"])
    }

    @Test func aHintNeedsMoreEntriesAndNoQuiet() throws {
        let sandbox = try sandbox(["a", "b"])
        let scan = { (options: [String]) in try sandbox.run(["scan", sandbox.store, "n"] + options) }
        #expect(try scan(["--limit", "2"]).errors.isEmpty)
        #expect(try scan(["--limit", "1"]).errors == "shale: there are more entries: continue with --after=a\n")
        #expect(try scan(["--limit", "1", "--hex"]).errors.hasSuffix("--after=61\n"))
        #expect(try scan(["--limit", "1", "--quiet"]).errors.isEmpty)
        let json = try scan(["--limit", "1", "--json"])
        #expect(try json.errors.isEmpty && json.json()["after"] as? String == "a")
        #expect(try scan(["--limit", "2", "--json"]).json()["after"] == nil)
    }
}
