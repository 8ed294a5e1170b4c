import ArgumentParser
import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// No output of a command controls a terminal or hides a character, whatever the store, its path, the arguments and the
/// input contain.
///
/// The output contains no control characters but line feeds and tabs. This holds for every format and every error, in a
/// pipe and at a terminal (ShaleInspection.docc, "The command").
@Suite(.timeLimit(.minutes(4)))
struct HostileOutputTests {
    private static let evil = HostileStore.argument
    private static let forms = ["human", "json", "ndjson", "csv"]
    private static let reading = [
        "get", "scan", "query", "collections", "namespaces", "users", "stats", "big", "find", "inspect", "diff",
        "verify",
    ]

    /// Returns command lines of every command, with and without success. Commands that change a store come last.
    private static func lines(_ store: String, _ sandbox: Sandbox) throws -> [[String]] {
        let missing = store + "/none" + evil
        let bad = try sandbox.write("{\"k\": \(evil)", to: "bad\(evil).ndjson")
        let dump = try sandbox.write(
            "{\"shaleDump\":1,\"nextNamespace\":2}\n{\"namespace\":1,\"path\":[\"n\"]}\n{\"\(evil)\":1}\n",
            to: "dump\(evil)")
        let made = "\(sandbox.path)/made\(evil)"
        let rows = try sandbox.write("k,\(evil)\n1,\"\(evil)\"\n\(evil)\n", to: "rows\(evil).csv")
        let operations = try sandbox.write(
            "{\"op\":\"remove\",\"namespace\":\"n\",\"key\":\"k\",\"purge\\u001b\":1}\n", to: "operations\(evil)")
        return collectionLines(store) + clusterLines(store, missing) + backupLines(store, missing, made) + [
            ["get", store, evil, evil], ["get", store, evil, evil, "--user", evil], ["get", store, evil, "json"],
            ["get", store, evil, "list"], ["get", store, evil, "data"],
            ["get", store, evil, "compact"], ["get", store, evil, evil + "x"],
            ["get", store, evil + "x", evil], ["get", store, evil, evil, "--hex"], ["get", store, "%zz" + evil, "k"],
            ["get", store, evil, "1b5b", "--hex"], ["get", missing, "n", "k"], ["get", store, evil, "k", "--\(evil)"],
            ["get", store, evil, evil, "--reveal", "--key-file", missing],
            ["get", store, evil, evil, "--reveal", "--passphrase-file", missing],
            ["get", store, evil, evil, "--reveal", "--key-env", evil],
            ["scan", store, evil], ["scan", store, evil, "--keys-only"], ["scan", store, "n", "--count"],
            ["scan", store, evil, "--limit", evil], ["scan", store, evil + "x"],
            ["namespaces", store], ["namespaces", store, "--user", evil], ["stats", store], ["stats", missing],
            ["watch", store, "--count", "1"], ["tail", store], ["tail", store, "--namespace", evil], ["tail", missing],
            ["tail", store, "--format", "csv"], ["report", store, "-o", "-"], ["report", store, "-o", missing + "/x"],
            ["get", store, evil, evil, evil + "x", "data"], ["get", store, evil, "\\x1b\\"],
            ["scan", store, evil, "--limit", "1"], ["scan", store, evil, "--match", evil + "*", "--keys-only"],
            ["scan", store, evil, "--after", evil, "--limit", "2", "--hex"], ["users", store],
            ["options", store, evil], ["options", store, evil + "x"], ["diff", store, store],
            ["diff", store, made + "k"], ["diff", store, missing], ["keys", "check", store, "--key-file", missing],
            ["keys", "make", missing + "/key"], ["shell", store], ["batch", store, bad], ["batch", store, missing],
            ["big", store], ["big", store, evil], ["big", store, "--by", "key"], ["big", store, evil + "x"],
            ["find", store, evil, evil], ["find", store, evil, evil + "x"], ["find", store, evil + "x", "k"],
            ["inspect", "manifest", store], ["inspect", "wal", store], ["inspect", "segment", store, evil],
            ["inspect", "segment", store, "999"], ["inspect", "block", store, "999", "0"],
            ["verify", store], ["verify", missing], ["dump", store], ["dump", missing],
            ["load", made, dump], ["load", store, dump], ["load", made, missing],
            ["import", store, evil, bad, "--key", "k"], ["import", store, evil, missing, "--key", "k"],
            ["import", store, evil, bad, "--key", evil], ["import", store, evil, evil],
            ["put", store, evil, evil, evil, "--type", "int"], ["put", store, evil, "k", "--file", missing],
            ["put", store, evil, evil + "new", evil], ["put", missing, evil, "k", "v"],
            ["keys", "make", "\(sandbox.path)/key\(evil)"],
            ["keys", "change-master", store, "--new-key-file", missing], ["keys", "change-data", store, evil + "x"],
            ["import", store, evil, rows, "--key", evil],
            ["import", store, evil, rows, "--key", "k", "--skip-bad-rows"],
            ["options", store, evil, "--purgeable"], ["touch", store, evil, evil, evil + "x", "--purgeable"],
            ["batch", store, operations],
            ["delete", store, evil, evil + "x"], ["delete", store, evil, "--prefix", evil],
            ["delete", store, evil, "--prefix", evil, "--dry-run"], ["delete", store, evil + "x", "k"],
            ["drop", store, evil], ["drop", store, evil + "x"], ["drop", store, evil, "--dry-run"],
            ["purge", store, "--dry-run"], ["purge", store, evil + "x", "--yes"],
            ["compact", store, evil + "x"], ["compact", store, evil, "--dry-run"], ["compact", store],
            ["repair", store, "--into", made + "r"], ["repair", missing, "--into", made + "r2"],
            ["copy", store, "--into", made + "c"], ["copy", store, "--into", store],
            ["checkpoint", store, "--into", made + "k"], ["checkpoint", store, "--into", store],
            ["demo", "--dir", store], ["drop", store, evil, "--user", evil, "--yes"], [evil], ["help", evil],
        ]
    }

    private static func backupLines(_ store: String, _ missing: String, _ made: String) -> [[String]] {
        [
            ["backup", "create", store, made + "b"], ["backup", "list", made + "b"], ["backup", "verify", made + "b"],
            ["backup", "prune", made + "b", "--keep", "1"], ["backup", "list", missing],
            ["backup", "follow", missing, made + "f"], ["backup", "follow", missing, made + "f", "--every", evil],
            ["restore", made + "b", "--into", made + "s"], ["restore", missing, "--into", made + "s2"],
            ["restore", made + "b", "--at", evil, "--into", made + "s3"],
            ["restore", made + "b", "--at", "2020-01-01T00:00:00Z", "--into", made + "s4"],
        ]
    }

    private static func clusterLines(_ store: String, _ missing: String) -> [[String]] {
        [
            ["copy", store, evil, "--to", "rados:\(evil)/\(evil)", "--cluster-configuration", missing],
            ["copy", store, evil, "--from", "rados:\(evil)/\(evil)", "--cluster-configuration", missing],
            ["copy", store, evil, "--to", evil], ["cluster", "status", "rados:\(evil)", "--cluster-user", evil],
            ["cluster", "reclaim", "rados:\(evil)/n", "--cluster-configuration", missing],
            ["cluster", "reclaim", "rados:\(evil)", "--cluster-keyring", missing],
            ["cluster", "change-data", "rados:\(evil)/n", "--key-file", missing],
            ["cluster", "change-master", "rados:\(evil)/n", "--key-file", missing, "--new-key-file", missing],
        ]
    }

    private static func collectionLines(_ store: String) -> [[String]] {
        [
            ["query", store, "people"], ["query", store, "people", "--where", evil],
            ["query", store, "people", "--order", evil], ["query", store, "people", "--limit", "1"],
            ["query", store, "people", "--where", "`\(evil)` is null", "--explain"], ["query", store, evil],
            ["query", store, "people", "--after", evil], ["query", store, "people", "--count"],
            ["collections", store], ["collections", store, "people", "--verify"], ["collections", store, evil],
            ["collections", store, "people", "--rebuild"],
        ]
    }

    private func expectHarmless(_ output: String, _ line: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let found = Escaping.obeyed(in: output)
        let shown = line.map { Shown($0).text }
        #expect(found.isEmpty, "\(shown): \(Set(found).sorted()) in \(Shown(output))", sourceLocation: sourceLocation)
    }

    @Test func everyCommandIsAmongThem() throws {
        func names(_ command: any ParsableCommand.Type, _ path: [String]) -> [[String]] {
            let configuration = command.configuration
            let children = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
            guard !children.isEmpty else { return [path] }
            return children.flatMap { names($0, path + [$0._commandName]) }
        }
        let lines = try Self.lines("store", try Sandbox())
        for name in names(ShaleCommand.self, []) {
            #expect(lines.contains { $0.starts(with: name) }, "no command line of shale \(name.joined(separator: " "))")
        }
    }

    @Test func aPipeGetsNoEscapeSequence() throws {
        let sandbox = try Sandbox()
        let store = try HostileStore.make(sandbox)
        var runs = 0
        for line in try Self.lines(store, sandbox) {
            // Reading commands run in every format, and the others once.
            let isReading = Self.reading.contains(line[0]) && !line.contains("--rebuild")
            let forms = isReading ? Self.forms : ["human"]
            for form in forms {
                let done = try sandbox.run(form == "human" ? line : line + ["--format", form])
                expectHarmless(done.output, line)
                expectHarmless(done.errors, line)
                runs += 1
            }
        }
        print("COVERED \(runs) command lines on a hostile store")
    }

    @Test(.enabled(if: TerminalSession.isPossible)) func aTerminalGetsNoEscapeSequence() throws {
        let sandbox = try Sandbox()
        let store = try HostileStore.make(sandbox)
        for line in try Self.lines(store, sandbox) {
            let session = try TerminalSession(line, terminal: "dumb")
            // Answers the confirmation of destructive commands, and ends a session.
            try session.type(line[0] == "shell" ? "exit\n" : "n\n")
            session.end()
            // The terminal itself puts a carriage return before each line feed.
            expectHarmless(session.screen.replacingOccurrences(of: "\r\n", with: "\n"), line)
        }
    }

    @Test func jsonIsEqualToWhatIsStored() throws {
        let sandbox = try Sandbox()
        let store = try HostileStore.make(sandbox)
        let got = try sandbox.run(["get", store, Self.evil, Self.evil, "--json"]).json()
        let entry = try #require(got["entry"] as? [String: Any])
        #expect(entry["value"] as? String == HostileStore.text)
        #expect(entry["key"] as? String == Self.evil)
        #expect(got["namespace"] as? String == Self.evil)
        let copy = "\(sandbox.path)/copy"
        let dump = try sandbox.run(["dump", store]).output
        #expect(try sandbox.run(["load", copy], input: dump).status == 0)
        #expect(try sandbox.run(["dump", copy]).output == dump)
        let again = try Store(at: copy)
        #expect(try again.user(Self.evil)[Self.evil].string(forKey: HostileStore.text) == HostileStore.text)
        try again.close()
    }

    @Test func rawBytesAreGivenAsTheyAreToATerminalOnlyIfTheyAreHarmless() throws {
        let sandbox = try Sandbox()
        let store = try HostileStore.make(sandbox)
        let raw = ["get", store, "n", "data", "--raw"]
        #expect(try sandbox.run(raw).output == HostileStore.text)
        guard TerminalSession.isPossible else { return }
        let refused = try TerminalSession(raw, terminal: "xterm")
        refused.end(with: 64)
        #expect(refused.screen.contains("add --force") && Escaping.obeyed(in: refused.screen) == ["d"])
        let forced = try TerminalSession(raw + ["--force"], terminal: "xterm")
        forced.end(with: 0)
        #expect(forced.screen.contains("\u{1b}]0;owned"))
        _ = try sandbox.run(["put", store, "n", "plain", "two\nlines\n"])
        let plain = try TerminalSession(["get", store, "n", "plain", "--raw"], terminal: "xterm")
        plain.end(with: 0)
        #expect(plain.screen == "two\r\nlines\r\n")
    }
}
