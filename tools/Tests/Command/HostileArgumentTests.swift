import ArgumentParser
import Shale
import Testing

@testable import ShaleCommand

/// Arbitrary arguments give a parsed command or a usage error, never a crash.
///
/// The command then ends with one of its exit codes.
@Suite struct HostileArgumentTests {
    private static let words = [
        "import", "get", "put", "delete", "scan", "namespaces", "drop", "stats", "find", "inspect", "big", "watch",
        "tail", "report", "touch", "batch", "options", "users", "keys", "diff", "shell", "check", "change-data",
        "compact", "purge", "verify", "demo", "help", "manifest", "wal", "segment", "block", "--yes", "--reveal",
        "--key-file", "--passphrase-fd", "--subtree", "--rows", "--by", "--type", "-o", "--help", "--version", "--json",
        "-q", "--quiet", "--prefix", "--from", "--to", "--limit", "--hex", "--key", "--keys-only", "--count",
        "--reverse", "--base64", "--match", "--after", "--value-escaped", "--skip-bad-rows", "--value",
        "\\", "\\x", "*", "--purgeable", "--expires-after", "7d",
        "--dry-run", "--format", "--user", "--purgeable-field", "--", "-", "--=", "", "=", "0", "-1", "--limit=-1",
        "--limit=99999999999999999999", "--limit=1e9", "a/b", "/", "//", ":", "@", "@/", "user@a/b", "..", "\u{0}",
        "\u{1F5C4}", "e\u{301}", "0x", "00", "zz", "%00", "no/such/store", String(repeating: "x", count: 70_000),
    ]

    /// A sequence of pseudorandom numbers that is always the same.
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
            // The parser has its own types of errors, so the test only checks that the call returns.
            if (try? ShaleCommand.parseAsRoot(arguments)) != nil { parsed += 1 }
        }
        #expect(parsed > 50, "some must get past the parser")
        print("COVERED 5000 random command lines")
    }

    /// Runs the commands in a directory without a store, so that no command creates or imports anything.
    @Test func theCommandEndsWithOneOfItsCodes() throws {
        let sandbox = try Sandbox()
        var numbers = Numbers()
        let commands = [
            "get", "put", "delete", "scan", "namespaces", "drop", "stats", "find", "inspect", "big", "watch", "compact",
            "tail", "purge", "verify", "touch", "options", "users", "diff", "shell",
        ]
        for _ in 0..<120 {
            let command = commands[numbers.below(commands.count)]
            // The system accepts no arguments that contain zero bytes.
            let rest = numbers.arguments().filter { !$0.contains("\u{0}") }
            let done = try sandbox.run([command, sandbox.store] + rest)
            #expect(
                [0, 1, 4, 5, 64].contains(done.status), "\(done.status): \(command) \(rest.map { $0.prefix(40) })")
        }
    }
}
