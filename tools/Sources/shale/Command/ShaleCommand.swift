public import ArgumentParser
@_exported import Posix
import ShaleEngine

/// The command `shale`. A library, so that fuzzers reach its parsers; the program is `shale-main`.
public struct ShaleCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "shale",
        abstract: "Reads, writes, inspects and maintains Shale stores.",
        discussion: """
            EXAMPLES
              shale put DIR settings theme dark --create
              shale get DIR settings theme
              shale import DIR packages /var/lib/apt/lists/*_Packages
              shale scan DIR packages --prefix lib --keys-only --limit 10
              shale query DIR people --where 'age >= 18' --order name
              shale stats DIR --json
              shale purge DIR --dry-run
              shale verify DIR
              shale repair DIR --into NEWDIR

            Data goes to standard output, everything else to standard error. Reading
            commands work on a store that another process has open.

            EXIT CODES
               0  ok
               1  not found, or a difference was found
               2  corruption
               3  the store is locked
               4  the key is wrong or missing
               5  input or output failed
              64  the command line is wrong
              65  the input is malformed, or over a limit
             130  interrupted; nothing incomplete is left
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Entries",
                subcommands: [
                    GetCommand.self, PutCommand.self, DeleteCommand.self, TouchCommand.self, ScanCommand.self,
                    QueryCommand.self, BatchCommand.self, ImportCommand.self, NamespacesCommand.self,
                    CollectionsCommand.self, OptionsCommand.self, UsersCommand.self, DropCommand.self,
                    PurgeCommand.self,
                ]),
            CommandGroup(
                name: "Inspection",
                subcommands: [
                    StatsCommand.self, WatchCommand.self, TailCommand.self, ReportCommand.self, BigCommand.self,
                    FindCommand.self, InspectCommand.self, DiffCommand.self,
                ]),
            CommandGroup(
                name: "Maintenance",
                subcommands: [CompactCommand.self, VerifyCommand.self, RepairCommand.self, KeysCommand.self]),
            CommandGroup(
                name: "Copies",
                subcommands: [
                    CheckpointCommand.self, BackupCommand.self, RestoreCommand.self, CopyCommand.self,
                    DumpCommand.self, LoadCommand.self,
                ]),
            CommandGroup(name: "Clusters", subcommands: [ClusterCommand.self]),
            CommandGroup(name: "Other", subcommands: [ShellCommand.self, DemoCommand.self]),
        ])

    public init() {}

    /// Runs the command named in the arguments. A failure becomes a message on standard error and an exit code.
    public static func main() {
        do {
            var command = try parseAsRoot()
            if let command = command as? any StoreCommand { Terminal.use(command.output.color) }
            do {
                try command.run()
            } catch let failure as StorageError where failure.code == .cancelled {
                Terminal.note("shale: \(message: failure.message)")
                exit(Interruption.exitCode)
            } catch let failure as StorageError {
                end(command, failure.exitStatus, failure.description, ErrorReport(failure))
            } catch let failure as ToolFailure {
                end(command, failure.status, failure.message, ErrorReport(failure))
            } catch let error as SystemCallError {
                let failure = ToolFailure(error)
                end(command, failure.status, failure.message, ErrorReport(failure))
            }
        } catch {
            end(error)
        }
    }

    /// Ends like the argument parser's `exit(withError:)`, but escapes the messages, because they repeat arguments,
    /// which may contain anything.
    private static func end(_ error: any Error) -> Never {
        let status = exitCode(for: error)
        let message = Shown(lines: fullMessage(for: error))
        do {
            // Help and completions are data.
            if message.isEmpty {
            } else if status.isSuccess {
                try Terminal.print(message)
            } else {
                Terminal.note(message)
            }
        } catch {
            exit(ExitStatus.inputOutput.rawValue)
        }
        exit(status.rawValue)
    }

    private static func end(
        _ command: any ParsableCommand, _ status: ExitStatus, _ message: String, _ report: ErrorReport
    ) -> Never {
        if (command as? any StoreCommand)?.output.format.isJSON == true, let text = try? report.json() {
            Terminal.note(text)
        } else {
            Terminal.note("shale: \(message: message)")
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

/// A command on a store.
protocol StoreCommand: ParsableCommand {
    var output: OutputOptions { get }
}

struct StoreArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The store's directory.", valueName: "store"), completion: .directory)
    var path: String
}
