import ArgumentParser
import Posix
import ShaleSyncServer
import SyncServerHTTP

/// The command `shale-sync-server`.
@main
struct SyncServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shale-sync-server",
        abstract: "Keeps the collections of Shale's clients in step: the server of ShaleSync over HTTP.",
        discussion: """
            EXAMPLES
              shale-sync-server token ada >> tokens && chmod 600 tokens
              shale-sync-server DIR --tokens tokens
              shale-sync-server DIR --tokens tokens --host 0.0.0.0 --port 443 --base /sync
              kill -HUP PID    # reads the tokens again

            The first line on standard output is the URL, once connections are accepted.
            Everything else is a log on standard error. The server speaks plain HTTP: put
            a proxy that speaks TLS before it.

            EXIT CODES
               0  ended by SIGTERM or SIGINT; everything is answered and stored
               2  corruption of the store
               3  the store is locked
               5  input or output failed, or the address is in use
              64  the command line is wrong
              65  the file of tokens is malformed
            """,
        version: "0.1.0", subcommands: [ServeCommand.self, TokenCommand.self, RemoveUserCommand.self],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        do {
            var command = try parseAsRoot()
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch let error as StorageError {
                end(error.description, exitCode(of: error))
            } catch let error as BearerTokensError {
                end(error.description, error.isMalformed ? 65 : 5)
            } catch let error where !(error is ExitCode || error is CleanExit || error is ValidationError) {
                end("\(error)", 5)
            }
        } catch {
            exit(withError: error)
        }
    }

    private static func exitCode(of error: StorageError) -> Int32 {
        switch error.code {
        case .corruption, .missingLog, .codecFailure: 2
        case .locked: 3
        case .invalidArgument: 64
        default: 5
        }
    }

    private static func end(_ message: String, _ code: Int32) -> Never {
        // A path in the message may contain anything: control characters must not reach a terminal.
        let shown = message.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
        let line = Array("shale-sync-server: \(shown.joined())\n".utf8)
        do throws(SystemCallError) {
            try writeFully(line, to: STDERR_FILENO, named: "standard error")
        } catch {
            // Nobody reads messages. The exit code tells the rest.
            leave(code)
        }
        leave(code)
    }
}

/// Ends the process. Outside of the command, which has functions of the name `exit`.
private func leave(_ code: Int32) -> Never { exit(code) }

extension BearerTokensError {
    fileprivate var isMalformed: Bool {
        switch self {
        case .malformed: true
        case .unreadable: false
        }
    }
}

struct DirectoryArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The directory of the server's store.", valueName: "dir"), completion: .directory)
    var directory: String
}
