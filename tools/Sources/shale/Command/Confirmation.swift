import ArgumentParser

/// Asks for confirmation before a destructive operation that can't be undone.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    /// Returns if the user at the terminal confirms `deed`, or if `--yes` was given. Throws otherwise.
    func obtain(_ deed: Shown) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw ToolFailure.usage("this \(deed.text): add --yes to confirm") }
        Terminal.emit("This \(deed). Continue? [y/N] ")
        let answer = (readLine() ?? "").lowercased()
        guard answer == "y" || answer == "yes" else { throw ToolFailure.declined() }
    }
}
