import ArgumentParser
import Shale
import Testing

@testable import ShaleCommand

/// Arguments of anybody's making end in a parsed command or a usage error, and the command in one of its exit codes: never in a
/// crash (contract S-6, T-d).
@Suite struct HostileArgumentTests {
    private static let words = [
        "import", "get", "put", "delete", "scan", "namespaces", "drop", "stats", "find", "inspect", "big", "watch",
        "report",
        "compact", "purge", "verify", "demo", "help", "manifest", "wal", "segment", "block", "--yes", "--reveal",
        "--key-file", "--passphrase-fd", "--subtree", "--rows", "--by", "--type", "-o", "--help", "--version", "--json",
        "-q", "--quiet", "--prefix", "--from", "--to", "--limit", "--hex", "--key", "--keys-only", "--count",
        "--reverse",
        "--dry-run", "--format", "--user", "--purgeable-field", "--", "-", "--=", "", "=", "0", "-1", "--limit=-1",
        "--limit=99999999999999999999", "--limit=1e9", "a/b", "/", "//", ":", "@", "@/", "user@a/b", "..", "\u{0}",
        "\u{1F5C4}", "e\u{301}", "0x", "00", "zz", "%00", "no/such/store", String(repeating: "x", count: 70_000),
    ]

    /// The next of a sequence of random numbers that is always the same.
    private struct Numbers {
        var state: UInt64 = 88_172_645_463_325_252

        mutating func below(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }

        mutating func arguments() -> [String] {
            (0...below(7)).map { _ in HostileArgumentTests.words[below(HostileArgumentTests.words.count)] }
        }
    }

    @Test func anyArgumentsAreParsedOrRefused() {
        var numbers = Numbers()
        var parsed = 0
        for _ in 0..<5000 {
            let arguments = numbers.arguments()
            // Refusals are the parser's own errors; what counts is that one comes back.
            if (try? ShaleCommand.parseAsRoot(arguments)) != nil { parsed += 1 }
        }
        #expect(parsed > 50, "some must get past the parser")
        print("COVERED 5000 random command lines")
    }

    /// Against a directory that is no store, so that nothing is made or imported.
    @Test func theCommandEndsWithOneOfItsCodes() throws {
        let sandbox = try Sandbox()
        var numbers = Numbers()
        let commands = [
            "get", "put", "delete", "scan", "namespaces", "drop", "stats", "find", "inspect", "big", "watch", "compact",
            "purge", "verify",
        ]
        for _ in 0..<120 {
            let command = commands[numbers.below(commands.count)]
            // The system takes no arguments with zero bytes in them.
            let rest = numbers.arguments().filter { !$0.contains("\u{0}") }
            let done = try sandbox.run([command, sandbox.store] + rest)
            #expect(
                [0, 1, 4, 5, 64].contains(done.status), "\(done.status): \(command) \(rest.map { $0.prefix(40) })")
        }
    }
}
