import ArgumentParser

@main
struct ShaleBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shale-bench",
        abstract: "Measures the engine beside its peers and beside what the machine itself can do.",
        subcommands: [
            RunCommand.self, ReportCommand.self, CompactionCommand.self, MeasureCommand.self, CrashCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }
}
