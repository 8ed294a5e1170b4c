import ArgumentParser
import ShaleEngine

@main
struct ShaleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shale",
        abstract: "Fills, reads, inspects and cleans Shale stores.",
        discussion: """
            EXAMPLES
              shale import DIR packages /var/lib/apt/lists/*_Packages --purgeable-field Description
              shale get DIR packages bash/5.2.15-2+b7/amd64
              shale scan DIR packages --prefix lib --keys-only --limit 10
              shale stats DIR --json
              shale purge DIR --dry-run
              shale verify DIR
              shale repair DIR --into NEWDIR

            Data goes to standard output, everything else to standard error. Reading
            commands work on a store that another process has open.

            EXIT CODES
              0 ok   1 not found, or a difference   2 corruption   3 locked   4 wrong or missing key
              5 input or output failed   64 usage   65 an import's input is malformed
            """,
        version: "0.1.0",
        subcommands: [
            ImportCommand.self, GetCommand.self, PutCommand.self, DeleteCommand.self, ScanCommand.self,
            NamespacesCommand.self, DropCommand.self, PurgeCommand.self, StatsCommand.self, FindCommand.self,
            BigCommand.self, WatchCommand.self, ReportCommand.self,
            InspectCommand.self, CompactCommand.self, VerifyCommand.self, RepairCommand.self,
            DumpCommand.self, LoadCommand.self, CopyCommand.self, CheckpointCommand.self, BackupCommand.self,
            RestoreCommand.self, DemoCommand.self,
        ])

    /// Runs the command that the arguments name. Failures become a message on standard error and an exit code.
    static func main() {
        do {
            var command = try parseAsRoot()
            if let command = command as? any StoreCommand { Terminal.use(command.output.color) }
            do {
                try command.run()
            } catch let failure as StorageError {
                end(command, failure.exitStatus, failure.description, ErrorReport(failure))
            } catch let failure as ToolFailure {
                end(command, failure.status, failure.message, ErrorReport(failure))
            }
        } catch {
            exit(withError: error)
        }
    }

    private static func end(
        _ command: any ParsableCommand, _ status: ExitStatus, _ message: String, _ report: ErrorReport
    ) -> Never {
        if (command as? any StoreCommand)?.output.format.isJSON == true, let text = try? report.json() {
            Terminal.note(text)
        } else {
            Terminal.note("shale: \(message)")
        }
        exit(status.rawValue)
    }

    private static func exit(_ code: Int32) -> Never {
        #if canImport(Darwin)
            Darwin.exit(code)
        #elseif canImport(Musl)
            Musl.exit(code)
        #else
            Glibc.exit(code)
        #endif
    }
}

/// A command that works on a store.
protocol StoreCommand: ParsableCommand {
    var output: OutputOptions { get }
}

struct StoreArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The store's directory.", valueName: "store"), completion: .directory)
    var path: String
}
