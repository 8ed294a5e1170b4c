import ArgumentParser

/// Asks before something is destroyed that nothing brings back.
struct Confirmation: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false

    /// Returns when whoever sits at the terminal agrees to `deed`, or has done so by `--yes`.
    func obtain(_ deed: Shown) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw ToolFailure.usage("this \(deed.text): add --yes") }
        Terminal.emit("This \(deed). Go on? [y/N] ")
        let answer = (readLine() ?? "").lowercased()
        guard answer == "y" || answer == "yes" else { throw ToolFailure.declined() }
    }
}
