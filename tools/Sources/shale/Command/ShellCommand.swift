import ArgumentParser
import Shale

struct ShellCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell",
        abstract: "Runs commands on a store interactively.",
        discussion: """
            EXAMPLES
              shale shell DIR

            Each line is a command without "shale" and without the store:

              shale> get settings theme
              shale> scan packages --prefix bash --keys-only
              shale> put notes 'first note' "it's here"

            Blanks separate words; apostrophes and quotation marks keep a word together. A
            backslash is not special, so printed keys can be typed as they are. Tab
            completes commands, options, namespaces and keys. The arrows recall earlier
            lines, which are not kept after the session: they may contain values.

            Every line is a process of its own, as if it were typed at a shell's prompt. So
            the store is locked only while a command that writes runs, and ^C ends the
            command, not the session. "help" or "help COMMAND" shows help; ^D or "exit"
            ends the session.
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if output.format != .human { throw ValidationError("shell takes no --format: name it with each command") }
    }

    func run() throws {
        guard isatty(STDIN_FILENO) == 1, Terminal.isOutputTerminal else {
            throw ToolFailure.usage("shell needs a terminal: use \"batch\" for operations from a file")
        }
        try StoreAccess.open(store.path, .readOnly).close()
        if !output.quiet { Terminal.note("\(store.path): \"help\" lists the commands, ^D ends the session") }
        let path = store.path
        let editor = LineEditor(prompt: "shale> ") { SessionVerbs.completions(of: $0, store: path) }
        // The session outlives an interrupted command.
        Interruption.catchIt()
        while let text = try editor.read() {
            let line = SessionLine(text)
            guard line.openQuote == nil else {
                Terminal.note("shale: a quote is not closed")
                continue
            }
            if line.words == ["exit"] || line.words == ["quit"] { return }
            if !line.words.isEmpty { try run(line.words) }
        }
    }

    private func run(_ words: [String]) throws {
        let arguments: [String]
        if words[0] == "help" {
            arguments = words
        } else if let known = SessionVerbs.arguments(words, store: store.path) {
            arguments = known
        } else {
            Terminal.note("shale: \(words[0]) is not a command of the session: \"help\" lists the commands")
            return
        }
        // The command itself tells what went wrong.
        if case .killed(let signal) = try ChildProcess.run(try thisProgram, arguments) {
            Terminal.note("shale: the command was ended by signal \(signal)")
        }
    }
}
