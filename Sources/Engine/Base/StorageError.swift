/// The one error type of the engine and of the kit above it.
///
/// ``code`` tells a caller how to react. ``message`` describes what happened, with details as `key=value` at its end.
/// ``file`` and ``offset`` are set if bytes of a file are the cause. Messages never contain keys or values.
public struct StorageError: Error, Sendable {
    private final class Details: Sendable {
        let code: Code
        let message: String
        let file: String?
        let offset: UInt64?
        let cause: (any Error)?

        init(_ code: Code, _ message: String, _ file: String?, _ offset: UInt64?, _ cause: (any Error)?) {
            self.code = code
            self.message = message
            self.file = file
            self.offset = offset
            self.cause = cause
        }
    }

    // One word, so that throwing functions return the error in a register.
    private let details: Details

    public init(
        _ code: Code, _ message: String, file: String? = nil, offset: UInt64? = nil, cause: (any Error)? = nil
    ) {
        details = Details(code, message, file, offset, cause)
    }

    public var code: Code { details.code }
    public var message: String { details.message }

    /// The file that caused the error, relative to the store's directory.
    public var file: String? { details.file }

    /// The byte offset in `file` at which the error was detected.
    public var offset: UInt64? { details.offset }

    /// The underlying error, if there is one.
    public var cause: (any Error)? { details.cause }

    package func inFile(_ file: String, at offset: UInt64? = nil) -> StorageError {
        StorageError(code, message, file: self.file ?? file, offset: self.offset ?? offset, cause: cause)
    }

    package static func corruption(
        _ message: String, file: String? = nil, offset: UInt64? = nil, cause: (any Error)? = nil
    ) -> StorageError {
        StorageError(.corruption, message, file: file, offset: offset, cause: cause)
    }

    package static func invalid(_ message: String) -> StorageError { StorageError(.invalidArgument, message) }
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let file { text += " file=\(file)" }
        if let offset { text += " offset=\(offset)" }
        if let cause { text += " (\(cause))" }
        return text
    }
}
