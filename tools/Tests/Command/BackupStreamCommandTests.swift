import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// `backup create DIR -` and `restore -`, through real pipes.
@Suite struct BackupStreamCommandTests {
    private func make() throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for number in 0..<2000 { try store.common["n"].set("value \(number)", forKey: "\(number)") }
        try store.close()
        return sandbox
    }

    /// Runs a line of shell, in which `shale` is the command. `pipefail`: a failure before the last pipe is one.
    private func shell(
        _ sandbox: Sandbox, _ line: String, environment: [String: String] = [:]
    ) throws -> (status: Int32, output: Data, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "set -o pipefail; shale() { \"$SHALE\" \"$@\"; }; \(line)"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SHALE": Sandbox.command.path].merging(environment) { $1 }
        ) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: sandbox.path)
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: try sandbox.write("", to: "errors"))
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let errors = try String(contentsOfFile: "\(sandbox.path)/errors", encoding: .utf8)
        return (process.terminationStatus, data, errors)
    }

    @Test func aPipeMakesAnEqualStore() throws {
        let sandbox = try make()
        let done = try shell(sandbox, "shale backup create store - | shale restore - --into copy")
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            try sandbox.shale("dump", "\(sandbox.path)/copy", "-q").output
                == sandbox.shale("dump", sandbox.store, "-q").output)
    }

    @Test func theStoreMayBeInUse() throws {
        let sandbox = try make()
        let store = try Store(at: sandbox.store)
        try store.common["n"].set("in the log", forKey: "0")
        let done = try shell(sandbox, "shale backup create store - -q | shale restore - --into copy -q")
        #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
        try store.close()
        #expect(try sandbox.shale("get", "\(sandbox.path)/copy", "n", "0").output == "in the log\n")
    }

    @Test func standardOutputIsTheStreamAlone() throws {
        let sandbox = try make()
        let plain = try shell(sandbox, "shale backup create store -")
        #expect(plain.status == 0 && plain.output.starts(with: Data("SHALEBST".utf8)))
        #expect(plain.errors.contains("2 000 entries"))
        #expect(try shell(sandbox, "shale backup create store - -q").errors.isEmpty)
        let json = try shell(sandbox, "shale backup create store - --json")
        #expect(json.output.starts(with: Data("SHALEBST".utf8)))
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any])
        #expect(answer["action"] as? String == "create" && (answer["backups"] as? [Any])?.count == 1)
    }

    @Test func aCutStreamLeavesNothing() throws {
        let sandbox = try make()
        try #require(try shell(sandbox, "shale backup create store - > whole").status == 0)
        for (cut, status) in [(0, 65), (63, 65), (500, 2), (-1, 2)] as [(Int, Int32)] {
            let done = try shell(sandbox, "head -c \(cut) whole | shale restore - --into copy")
            #expect(done.status == status, "\(cut): \(done.errors)")
            #expect(!FileManager.default.fileExists(atPath: "\(sandbox.path)/copy"))
        }
        let text = try shell(sandbox, "yes | head -c 1000 | shale restore - --into copy --json")
        #expect(text.status == 65 && text.errors.contains("\"badInput\""))
    }

    @Test func anEncryptedStreamNeedsItsKey() throws {
        let sandbox = try make()
        try #require(try sandbox.shale("keys", "make", "\(sandbox.path)/a.key").status == 0)
        try #require(try sandbox.shale("keys", "make", "\(sandbox.path)/b.key").status == 0)
        let made = try shell(sandbox, "shale backup create store - --key-file a.key > sealed")
        #expect(made.status == 0, "\(made.errors)")
        let sealed = try Data(contentsOf: URL(fileURLWithPath: "\(sandbox.path)/sealed"))
        #expect(sealed.range(of: Data("value 1".utf8)) == nil)
        #expect(try shell(sandbox, "shale restore - --into copy < sealed").status == 4)
        #expect(try shell(sandbox, "shale restore - --into copy --key-file b.key < sealed").status == 4)
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.path)/copy"))
        #expect(try shell(sandbox, "shale restore - --into copy --key-file a.key < sealed").status == 0)
        #expect(try sandbox.shale("get", "\(sandbox.path)/copy", "n", "7").output == "value 7\n")
        // A stream in the clear is not what the key was for.
        let clear = try shell(sandbox, "shale backup create store - | shale restore - --into other --key-file a.key")
        #expect(clear.status == 4, "\(clear.errors)")
    }

    @Test func aKeyOfTheEnvironmentServesWithEncrypted() throws {
        let sandbox = try make()
        let key = ["SHALE_KEY": String(repeating: "0b", count: 32)]
        let line = "shale backup create store - --encrypted | shale restore - --into copy"
        #expect(try shell(sandbox, line, environment: key).status == 0)
        let clear = "shale backup create store - | shale restore - --into other"
        #expect(try shell(sandbox, clear, environment: key).status == 0)
    }

    @Test func optionsThatNeedADirectoryAreRefused() throws {
        let sandbox = try make()
        for line in [
            "shale backup create store - --link", "shale restore - --into copy --number 1",
            "shale restore - --into copy --link", "shale restore - --into copy --passphrase-fd 0",
            "shale backup create store backups --encrypted", "shale restore backups --into copy --key-env KEY",
        ] {
            let done = try shell(sandbox, line)
            #expect(done.status == 64 && done.output.isEmpty, "\(line): \(done.errors)")
        }
    }

    @Test(.enabled(if: TerminalSession.isPossible)) func aTerminalGetsNoStream() throws {
        let sandbox = try make()
        for arguments in [
            ["backup", "create", sandbox.store, "-"], ["restore", "-", "--into", "\(sandbox.path)/copy"],
        ] {
            let session = try TerminalSession(arguments, terminal: "xterm")
            session.end(with: 64)
            #expect(session.screen.contains("is a terminal") && !session.screen.contains("SHALEBST"))
        }
    }
}
