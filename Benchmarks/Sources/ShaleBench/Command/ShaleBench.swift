import ArgumentParser

@main
struct ShaleBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shale-bench",
        abstract: "Measures the engine beside what the machine itself can do.",
        subcommands: [RunCommand.self, CrashChildCommand.self],
        defaultSubcommand: RunCommand.self)
}

/// The process that `crashreopen` kills.
struct CrashChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-child", abstract: "Fills a store and waits to be killed.", shouldDisplay: false)

    @Argument var path: String
    @Argument var entries: Int
    @OptionGroup var settings: StoreSettings

    func run() throws { try CrashChild.fill(path: path, entries: entries, settings: settings) }
}
