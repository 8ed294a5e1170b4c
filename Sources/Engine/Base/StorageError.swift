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

extension StorageError {
    /// The kind of an error.
    ///
    /// A struct, so that codes can be added without breaking a `switch`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Bytes of a file differ from what was written; the error names file and offset.
        ///
        /// Other data stays readable.
        public static let corruption = Code(rawValue: "corruption")

        /// The operating system refused an operation; `cause` is the ``IOFailure``.
        public static let ioFailure = Code(rawValue: "ioFailure")

        /// The disk is full.
        ///
        /// Reads and purges work; writes resume when space returns.
        public static let noSpace = Code(rawValue: "noSpace")

        /// The engine can't tell whether this write survives reopening.
        ///
        /// The engine is now poisoned. On a cluster: no answer came in time; nothing is poisoned, and the write may
        /// have happened or may happen yet.
        public static let indeterminate = Code(rawValue: "indeterminate")

        /// An earlier failure of the log or the manifest made writing unsafe.
        ///
        /// Reads still work; reopen the store to write again.
        public static let poisoned = Code(rawValue: "poisoned")

        /// The store exists but can't be read now: another opener holds it, permissions deny access, or its keyring is
        /// locked.
        public static let locked = Code(rawValue: "locked")

        /// No store, or no keyring, exists where one was expected.
        public static let missing = Code(rawValue: "missing")

        /// A log that the store needs is missing, or shorter than recorded.
        public static let missingLog = Code(rawValue: "missingLog")

        /// A newer version of Shale wrote this store.
        public static let newerFormat = Code(rawValue: "newerFormat")

        /// An argument is outside its documented bounds; nothing was done.
        public static let invalidArgument = Code(rawValue: "invalidArgument")

        /// The namespace was dropped or never existed.
        public static let namespaceDropped = Code(rawValue: "namespaceDropped")

        /// Another write changed something that this transaction had read.
        ///
        /// Nothing was written.
        public static let conflict = Code(rawValue: "conflict")

        /// The write waited for background work longer than its deadline allows; nothing was written.
        public static let stalled = Code(rawValue: "stalled")

        /// The store was opened for reading only.
        public static let readOnly = Code(rawValue: "readOnly")

        /// The state that a read-only store shows is older than the owner of the store, in another process, keeps its
        /// files.
        ///
        /// Open the store again, or refresh it.
        public static let outdated = Code(rawValue: "outdated")

        /// The store was closed.
        public static let closed = Code(rawValue: "closed")

        /// The caller cancelled the work.
        ///
        /// Completed parts remain.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The stored value has another type than the one asked for.
        public static let typeMismatch = Code(rawValue: "typeMismatch")

        /// The result of an arithmetic change does not fit into the type of the number.
        ///
        /// Nothing was written.
        public static let overflow = Code(rawValue: "overflow")

        /// The codec could not encode or decode a value.
        public static let codecFailure = Code(rawValue: "codecFailure")

        /// A value is or should be encrypted, but the store was opened without encryption or without the value's
        /// cipher.
        public static let cipherMismatch = Code(rawValue: "cipherMismatch")

        /// The key is not the one with which the store's values are encrypted.
        ///
        /// Nothing was changed.
        public static let wrongKey = Code(rawValue: "wrongKey")

        /// The key is not available: its file is missing or accessible to other users, its variable is not set, or its
        /// provider refused it.
        public static let missingKey = Code(rawValue: "missingKey")

        /// An encrypted value fails authentication: its bytes, key, namespace, codec or options were changed.
        public static let authenticationFailed = Code(rawValue: "authenticationFailed")

        /// A dependency outside this process is missing or does not answer: a library, a bus, a service.
        public static let unavailable = Code(rawValue: "unavailable")

        /// The back end does not have this capability; the message names it. Nothing was done.
        public static let unsupported = Code(rawValue: "unsupported")

        /// The current user's space was accessed while no user is signed in.
        public static let noCurrentUser = Code(rawValue: "noCurrentUser")
    }
}

extension StorageError.Code: CustomStringConvertible {
    /// The code's name, as in the error's own description.
    public var description: String { rawValue }
}
