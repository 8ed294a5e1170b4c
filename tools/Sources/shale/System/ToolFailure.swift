import ShaleCollections
import ShaleEngine

/// The command's exit codes. They are part of its interface: see ShaleInspection.docc,
/// "Using the command".
enum ExitStatus: Int32 {
    case success = 0
    /// The key or namespace does not exist, or a comparison found a difference.
    case different = 1
    case corruption = 2
    case locked = 3
    case wrongKey = 4
    case inputOutput = 5
    case usage = 64
    /// The input is malformed or exceeds a limit.
    case badInput = 65
}

/// The failure that ends a command: a message for people and an exit code for scripts.
struct ToolFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    let code: String
    let message: String

    private init(_ status: ExitStatus, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func notFound(_ message: String) -> ToolFailure { ToolFailure(.different, "notFound", message) }
    static func different(_ message: String) -> ToolFailure { ToolFailure(.different, "different", message) }
    static func key(_ message: String) -> ToolFailure { ToolFailure(.wrongKey, "missingKey", message) }
    /// Returns the failure for a user who declined; nothing was done.
    static func declined() -> ToolFailure { ToolFailure(.different, "declined", "nothing was changed") }
    static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, "usage", message) }
    static func badInput(_ message: String) -> ToolFailure { ToolFailure(.badInput, "badInput", message) }

    init(_ error: SystemCallError) { self.init(.inputOutput, "ioFailure", error.description) }

    /// Returns the failure of the system call `call` with the current `errno`.
    static func system(_ call: String, _ subject: String) -> ToolFailure { ToolFailure(SystemCallError(call, subject)) }

    static func inputOutput(_ message: String) -> ToolFailure { ToolFailure(.inputOutput, "ioFailure", message) }

    var description: String { message }
}

extension StorageError {
    /// The exit code, which tells a script the kind of failure.
    var exitStatus: ExitStatus {
        switch code {
        case .corruption, .missingLog, .codecFailure: .corruption
        // Another opener or missing permission: the store exists but can't be read now.
        case .locked: .locked
        case .namespaceDropped, .typeMismatch, .schemaMismatch, .constraintViolated: .different
        case .invalidArgument, .noCurrentUser: .usage
        default: Self.keyCodes.contains(code.rawValue) ? .wrongKey : .inputOutput
        }
    }

    private static let keyCodes: Set<String> = ["wrongKey", "missingKey", "cipherMismatch", "authenticationFailed"]
}
