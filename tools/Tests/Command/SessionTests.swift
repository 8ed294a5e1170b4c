import ArgumentParser
import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// The words of lines of a session, and what completes them.
@Suite struct SessionLineTests {
    @Test func blanksSeparateWordsAndQuotesKeepThemTogether() {
        let cases: [(String, [String])] = [
            ("", []), ("  ", []), ("get n k", ["get", "n", "k"]), (" a\t b ", ["a", "b"]),
            ("'a b' \"it's\" c'd e'f", ["a b", "it's", "cd ef"]), (#"\x00\\ \"#, [#"\x00\\"#, #"\"#]),
            ("''", [""]), ("'open", ["open"]),
        ]
        for (text, words) in cases { #expect(SessionLine(text).words == words, "\(text)") }
        #expect(SessionLine("'open").openQuote == "'" && SessionLine("'a'").openQuote == nil)
    }

    @Test func aQuotedWordIsThatWordAgain() {
        for word in ["a", "a b", "it's", "\"", "'", "' \"", "", "\\x00", "a\tb", "日本 語"] {
            #expect(SessionLine(SessionLine.quoted(word)).words == [word])
        }
    }

    @Test func everyVerbIsACommandWhoseFirstArgumentIsAStore() throws {
        for verb in SessionVerbs.all {
            let command = try #require(SessionVerbs.command(verb), "\(verb)")
            let usage = ShaleCommand.usageString(for: command)
            let arguments = usage.replacing(#/\[[^\]]*\]/#, with: "").replacing(#/--[a-z-]+ <[^>]*>/#, with: "")
            #expect(arguments.firstMatch(of: #/<[a-z]+>/#)?.output == "<store>", "\(verb): \(usage)")
        }
    }

    @Test func verbsOptionsNamespacesAndKeysComplete() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for key in ["theme", "the end", "\n"] { try store.common["settings"].set(1, forKey: key) }
        try store.common["sessions"].set(1, forKey: "k")
        try store.user("u")["drafts"].set(1, forKey: "k")
        try store.close()
        let complete = { SessionVerbs.completions(of: $0, store: sandbox.store) }
        #expect(complete("sc") == ["scan"] && complete("he") == ["help"])
        #expect(complete("keys ch") == ["change-data", "change-master", "check"])
        #expect(complete("help sc") == ["scan"])
        #expect(complete("get se") == ["sessions", "settings"])
        #expect(complete("get --user u ") == ["drafts"] && complete("get --user ") == ["u"])
        #expect(complete("get settings ") == ["\\n", "the end", "theme"])
        #expect(complete("get settings theme the") == ["the end", "theme"])
        #expect(complete("get settings \\") == ["\\n"] || complete("get settings \\n") == ["\\n"])
        #expect(complete("scan settings --keys") == ["--keys-only"])
        #expect(complete("nonsense ") == [] && complete("stats x") == [])
    }
}

/// A session at a pseudo-terminal.
@Suite(.enabled(if: TerminalSession.isPossible), .timeLimit(.minutes(5)))
struct SessionTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.shale("put", sandbox.store, "settings", "theme", "dark blue", "--create")
        return sandbox
    }

    @Test func linesAreCommandsOnTheStore() throws {
        let sandbox = try sandbox()
        let session = try TerminalSession("shell", sandbox.store)
        try session.wait(for: "shale> ")
        try session.type("get settings theme\r")
        try session.waitForPrompt(after: "dark blue")
        try session.type("put settings 'a key' \"it's here\"\rget settings 'a key'\r")
        try session.waitForPrompt(after: "\nit's here")
        try session.type("get settings none\r")
        try session.waitForPrompt(after: "there is no such key in settings")
        try session.type("frobnicate\r")
        try session.waitForPrompt(after: "frobnicate is not a command of the session: \"help\" lists the commands")
        try session.type("get 'open\r")
        try session.waitForPrompt(after: "a quote is not closed")
        try session.type("exit\r")
        session.end(with: 0)
        #expect(try sandbox.shale("get", sandbox.store, "settings", "a key").output == "it's here\n")
    }

    @Test func aLineIsEditedRecalledAndCompleted() throws {
        let sandbox = try sandbox()
        let session = try TerminalSession("shell", sandbox.store)
        try session.wait(for: "shale> ")
        // Tab completes the verb, the namespace and the key.
        try session.type("ge\tse\tth\t\r")
        try session.wait(for: "get settings theme")
        try session.waitForPrompt(after: "\ndark blue")
        // Up recalls the line. The word before the cursor is removed and typed again with a mistake in it.
        try session.type("\u{1b}[A\u{17}\u{17}settings nonee\u{7f}\u{1b}[D\u{1b}[C\r")
        try session.waitForPrompt(after: "there is no such key in settings")
        try session.type("xxx\u{1}put settings new \u{5}yz\u{1b}[D\u{1b}[3~\u{15}users\u{3}")
        try session.waitForPrompt(after: "^C")
        try session.type("put settings k ü日\u{7f}本\rget settings k\r")
        try session.waitForPrompt(after: "\nü本")
        try session.type("exit\r")
        session.end(with: 0)
        #expect(try sandbox.shale("get", sandbox.store, "settings", "k").output == "ü本\n")
        #expect(try sandbox.shale("scan", sandbox.store, "settings", "--count").output == "2\n")
    }

    @Test func severalCompletionsAreListed() throws {
        let sandbox = try sandbox()
        try sandbox.shale("put", sandbox.store, "settings", "thing", "1")
        let session = try TerminalSession("shell", sandbox.store)
        try session.wait(for: "shale> ")
        try session.type("get settings t\t\t")
        try session.wait(for: "theme  thing")
        try session.type("\u{3}")
        try session.waitForPrompt(after: "^C")
        try session.type("exit\r")
        session.end(with: 0)
    }

    @Test func controlCEndsTheCommandAndNotTheSession() throws {
        let sandbox = try sandbox()
        let session = try TerminalSession("shell", sandbox.store)
        try session.wait(for: "shale> ")
        try session.type("watch --interval 60\r")
        try session.wait(for: "on disk")
        try session.type("\u{3}")
        try session.type("get settings theme\r")
        try session.waitForPrompt(after: "dark blue")
        try session.type("exit\r")
        session.end(with: 0)
    }

    @Test func controlDEndsTheSession() throws {
        let sandbox = try sandbox()
        let session = try TerminalSession("shell", sandbox.store)
        try session.wait(for: "shale> ")
        try session.type("\u{4}")
        session.end(with: 0)
    }

    @Test func withoutATerminalThereIsNoSession() throws {
        let sandbox = try sandbox()
        let done = try sandbox.run(["shell", sandbox.store], input: "get settings theme\n")
        #expect(done.status == 64 && done.errors.contains("needs a terminal") && done.output.isEmpty)
        let absent = try TerminalSession("shell", "\(sandbox.path)/absent")
        absent.end(with: 5)
    }

    @Test func hostileNamesAndKeysDoNotControlTheTerminal() throws {
        let sandbox = try Sandbox()
        let path = try HostileStore.make(sandbox)
        let session = try TerminalSession("shell", path, "--quiet")
        try session.wait(for: "shale> ")
        try session.type("get n \t\t\u{3}scan \t\t\u{3}frob\u{1b}]0;x\u{7}\r")
        try session.waitForPrompt(after: "is not a command of the session: \"help\" lists the commands")
        try session.type("exit\r")
        session.end(with: 0)
        #expect(!session.screen.contains("\u{1b}]0;") && !session.screen.contains("\u{9b}"))
    }
}

extension TerminalSession {
    /// Waits for the prompt behind the output `text`. Before it the terminal itself edits what is typed.
    fileprivate func waitForPrompt(after text: String) throws { try wait(for: "\(text)\r\n\rshale> ") }
}
