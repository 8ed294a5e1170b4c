import Shale
import ShaleEncryption
import Testing

@testable import ShaleCommand

/// At a terminal, the command asks for confirmation and for passphrases.
@Suite(.enabled(if: TerminalSession.isPossible), .timeLimit(.minutes(5)))
struct TerminalTests {
    private func encrypted() throws -> Sandbox {
        let sandbox = try Sandbox()
        var options = Store.Options()
        options.encryption = .aes256GCM(.passphrase("correct horse", costs: try ScryptCosts(rounds: 1 << 10)))
        let store = try Store(at: sandbox.store, options: options)
        try store.common["n"].set("hidden", forKey: "k", options: .encrypted)
        try store.close()
        return sandbox
    }

    @Test func aPassphraseIsAskedForAndNotShown() throws {
        let sandbox = try encrypted()
        let session = try TerminalSession("get", sandbox.store, "n", "k", "--reveal")
        try session.wait(for: "Passphrase: ")
        try session.type("wrong\u{15}correct horsd\u{7f}e\r")
        session.end(with: 0)
        #expect(session.screen.contains("hidden"))
        #expect(!session.screen.contains("horse") && !session.screen.contains("wrong"))
    }

    @Test func aWrongPassphraseAndControlCAre4() throws {
        let sandbox = try encrypted()
        for typed in ["wrong\r", "half\u{3}"] {
            let session = try TerminalSession("get", sandbox.store, "n", "k", "--reveal")
            try session.wait(for: "Passphrase: ")
            try session.type(typed)
            session.end(with: 4)
            #expect(!session.screen.contains("hidden"))
        }
    }

    @Test func aNewPassphraseIsAskedForTwice() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("hidden", to: "value")
        let session = try TerminalSession(
            "put", sandbox.store, "n", "k", "--file", file, "--encrypted", "--create")
        try session.wait(for: "Passphrase: ")
        try session.type("new horse\r")
        try session.wait(for: "Repeat it: ")
        try session.type("new horse\r")
        session.end(with: 0)
        let get = ["get", sandbox.store, "n", "k", "--reveal"]
        #expect(try sandbox.run(get, environment: ["SHALE_PASSPHRASE": "new horse"]).output == "hidden\n")
    }

    @Test func aBarShowsHowFarItIsAndGoesAway() throws {
        let sandbox = try Sandbox()
        var dump = "{\"shaleDump\":1,\"nextNamespace\":2}\n{\"namespace\":1,\"path\":[\"n\"]}\n"
        for number in 100_000..<300_000 { dump += "{\"k\":\"\(number)\",\"c\":2,\"v\":\"value of \(number)\"}\n" }
        dump += "{\"end\":200000}\n"
        let file = try sandbox.write(dump, to: "dump.ndjson")
        let session = try TerminalSession("load", sandbox.store, file, "--color", "never")
        try session.wait(for: "░")
        session.end(with: 0)
        let bars = session.screen.split(separator: "\r").filter { $0.contains("load") && $0.contains(" % ") }
        #expect(bars.count > 1 && bars.allSatisfy { $0.contains("/s") }, "rate and rest: \(bars.prefix(3))")
        #expect(session.screen.contains("\r\u{1b}[K200 000 entries"), "erased before the answer")
        #expect(!session.screen.contains("\u{1b}[36m"))
        let quiet = try TerminalSession("verify", sandbox.store, "--quiet")
        quiet.end(with: 0)
        #expect(!quiet.screen.contains("%"))
    }

    @Test func destructiveCommandsAskAndNoIs1() throws {
        let sandbox = try Sandbox()
        try sandbox.shale("put", sandbox.store, "n", "k", "v", "--create")
        let no = try TerminalSession("drop", sandbox.store, "n")
        try no.wait(for: "This drops 1 namespace with 1 entry. Continue? [y/N] ")
        try no.type("\r")
        no.end(with: 1)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").output == "v\n")
        let yes = try TerminalSession("drop", sandbox.store, "n")
        try yes.wait(for: "[y/N] ")
        try yes.type("y\r")
        yes.end(with: 0)
        #expect(try sandbox.shale("get", sandbox.store, "n", "k").status == 1)
    }
}
