import ArgumentParser
import Logging
import Posix
import ShaleSyncServer
import SyncServerHTTP

/// Serves until SIGTERM.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves a store. The default: `serve` may be left out.")

    @OptionGroup var store: DirectoryArgument

    @Option(help: ArgumentHelp("Lines of tokens and user ids. Mode 0600.", valueName: "file"), completion: .file())
    var tokens: String

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 for any that is free.")
    var port: UInt16 = 8080

    @Option(help: ArgumentHelp("The path before /v1/push.", valueName: "path"))
    var base = ""

    @Option(help: "The largest number of connections.")
    var connections = 1024

    @Option(help: "The largest number of calls at a time.")
    var calls = 64

    @Option(help: ArgumentHelp("The longest call.", valueName: "seconds"))
    var callSeconds = 60

    @Option(help: ArgumentHelp("The time for which deletions are known.", valueName: "days"))
    var retention = 90

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning or error.", valueName: "level"))
    var logLevel = Logger.Level.info

    func validate() throws {
        guard connections > 0, calls > 0, callSeconds > 0, 1...36_500 ~= retention else {
            throw ValidationError("limits are positive numbers")
        }
        guard base.isEmpty || (base.hasPrefix("/") && !base.hasSuffix("/")) else {
            throw ValidationError("--base begins with a slash, and does not end with one")
        }
    }

    func run() async throws {
        var logger = Logger(label: "shale-sync-server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        var options = SyncServiceOptions(logger: logger)
        options.host = host
        options.port = Int(port)
        options.basePath = base
        options.connections = connections
        options.calls = calls
        options.callSeconds = callSeconds
        var rules = SyncServer.Options()
        rules.tombstoneRetentionMilliseconds = Int64(retention) * 86_400_000
        if !["127.0.0.1", "::1", "localhost"].contains(host) {
            logger.warning("other machines reach this address, and it speaks no TLS", metadata: ["host": "\(host)"])
        }
        let (host, base, log) = (host.contains(":") ? "[\(host)]" : host, base, logger)
        try await SyncService.run(
            store.directory, tokens: try BearerTokens(path: tokens), rules: rules, options: options
        ) { port in
            let line = Array("http://\(host):\(port)\(base)\n".utf8)
            do throws(SystemCallError) {
                try writeFully(line, to: STDOUT_FILENO, named: "standard output")
            } catch {
                log.warning("the URL can't be printed", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
