import Foundation
import Shale
import Testing

@testable import ShaleCommand

/// The completion scripts ask the command for the namespaces and users of the store on the command line.
@Suite struct CompletionTests {
    private func completions(
        _ sandbox: Sandbox, _ command: String, _ argument: String, _ words: [String]
    ) throws -> [String] {
        // As the scripts for bash and fish call it: the index of the word, the cursor in it, and all words.
        let index = "\(words.count - 1)"
        let done = try sandbox.run(
            ["---completion", command, "--", argument, index, "\(words.last?.count ?? 0)"] + words)
        #expect(done.status == 0, "\(done.errors)")
        return done.output.split(separator: "\n").map(String.init)
    }

    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for name in ["settings", "sessions", "a b", "$(touch x)", "`touch y`", "x;y", "zürich", "\u{1b}[2J"] {
            try store.common[name].set(1, forKey: "k")
        }
        try store.common["settings"].child("ui").set(1, forKey: "k")
        try store.user("u1")["drafts"].set(1, forKey: "k")
        try store.close()
        return sandbox
    }

    @Test func namespacesOfTheNamedStoreAreOffered() throws {
        let sandbox = try sandbox()
        let store = sandbox.store
        #expect(
            try completions(sandbox, "get", "positional@1", ["shale", "get", store, "se"])
                == ["sessions", "settings", "settings/ui"])
        #expect(try completions(sandbox, "scan", "positional@1", ["shale", "scan", "-q", store, "z"]) == ["zürich"])
        #expect(
            try completions(sandbox, "get", "positional@1", ["shale", "get", "--user", "u1", store, ""]) == ["drafts"])
        #expect(try completions(sandbox, "get", "--user", ["shale", "get", store, "--user", ""]) == ["u1"])
        #expect(try completions(sandbox, "get", "positional@1", ["shale", "get", "\(store)/none", ""]) == [])
    }

    @Test func aNameThatAShellWouldExpandIsNotOffered() throws {
        let sandbox = try sandbox()
        let all = try completions(sandbox, "drop", "positional@1", ["shale", "drop", sandbox.store, ""])
        #expect(all == ["sessions", "settings", "settings/ui", "zürich"])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
    func bashOffersThem() throws {
        let sandbox = try sandbox()
        let script = try sandbox.shale("--generate-completion-script", "bash")
        let file = try sandbox.write(script.output, to: "completion.bash")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.currentDirectoryURL = URL(fileURLWithPath: sandbox.path)
        process.arguments = [
            "-c",
            """
            PATH="$1:$PATH"; . "$2"
            COMP_WORDS=(shale get "$3" se); COMP_CWORD=3; COMP_LINE="shale get $3 se"; COMP_POINT=${#COMP_LINE}
            _shale shale se "$3" 2>/dev/null
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
            "bash", Sandbox.command.deletingLastPathComponent().path, file, sandbox.store,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(
            Set(text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
                == ["sessions", "settings", "settings/ui"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path).allSatisfy { $0 != "x" && $0 != "y" })
    }
}
