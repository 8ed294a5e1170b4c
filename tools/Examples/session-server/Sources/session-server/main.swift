import Foundation
import Logging
import SessionServer

// session-server DIRECTORY [PORT]: prints the port on the first line of standard output, and logs to standard error.
let arguments = CommandLine.arguments
guard (2...3).contains(arguments.count), let port = arguments.count > 2 ? Int(arguments[2]) : 0 else {
    FileHandle.standardError.write(Data("usage: session-server DIRECTORY [PORT]\n".utf8))
    exit(64)
}
var logger = Logger(label: "session-server") { StreamLogHandler.standardError(label: $0) }
logger.logLevel = .debug
do {
    try await SessionServer.run(in: arguments[1], port: port, logger: logger) { port in
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
    }
} catch {
    logger.critical("the server ended", metadata: ["error": "\(error)"])
    exit(1)
}
