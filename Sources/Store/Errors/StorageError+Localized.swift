public import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Texts for users, in English. They never contain keys or values.
extension StorageError: LocalizedError {
    /// One sentence that says what kind of failure it is.
    public var errorDescription: String? { advice?.description ?? "The store reported an error (\(code))." }

    /// The details: the message, with file and offset if bytes of a file are the cause.
    public var failureReason: String? {
        var reason = message
        if let file { reason += " file=\(file)" }
        if let offset { reason += " offset=\(offset)" }
        return reason
    }

    /// One or two sentences on what the user or the program can do.
    public var recoverySuggestion: String? { advice?.recovery }

    private var advice: ErrorAdvice? { ErrorAdvice.table[code] }
}

/// The texts for one code.
package struct ErrorAdvice: Sendable {
    package let description: String
    package let recovery: String

    init(_ description: String, _ recovery: String) {
        self.description = description
        self.recovery = recovery
    }

    package static let table: [StorageError.Code: ErrorAdvice] = data.merging(access) { $1 }.merging(use) { $1 }

    /// Failures of the disk and of the files on it.
    private static let data: [StorageError.Code: ErrorAdvice] = [
        .corruption: ErrorAdvice(
            "Data of the store is damaged.",
            "Other data stays readable. Restore a backup, or run Maintenance.repair to save what can be read."),
        .ioFailure: ErrorAdvice(
            "The system could not read or write the store's files.",
            "Check the disk and the permissions of the store's directory, then try again."),
        .noSpace: ErrorAdvice(
            "The disk is full.", "Free some space, or purge the store. Writing works again when there is space."),
        .indeterminate: ErrorAdvice(
            "It is unknown whether the last change was saved.",
            "Close the store and open it again. Then read the value to see if the change was saved."),
        .poisoned: ErrorAdvice(
            "The store accepts no more changes after an earlier failure.",
            "Close the store and open it again. Reading still works until then."),
        .missingLog: ErrorAdvice(
            "A log file of the store is missing or too short.",
            "Put the file back, restore a backup, or run Maintenance.repair, which keeps what the other files hold."),
        .newerFormat: ErrorAdvice(
            "A newer version of the software wrote this data.", "Update the software. Nothing has been changed."),
    ]

    /// Failures to get at a store or at its values.
    private static let access: [StorageError.Code: ErrorAdvice] = [
        .locked: ErrorAdvice(
            "The store can't be opened now, because it is in use or locked.",
            "End the other process that has the store open, or unlock the keyring, then try again."),
        .missing: ErrorAdvice(
            "The store does not exist.", "Check the path, or open it with a mode that creates a store."),
        .readOnly: ErrorAdvice(
            "The store was opened for reading only.", "Open the store for writing to change it."),
        .outdated: ErrorAdvice(
            "The store has changed too much since it was opened for reading.", "Refresh it, or open it again."),
        .closed: ErrorAdvice("The store was closed.", "Open the store again."),
        .cipherMismatch: ErrorAdvice(
            "The value is encrypted in a way that the store was not opened for.",
            "Open the store with encryption and with the value's cipher."),
        .wrongKey: ErrorAdvice(
            "The key does not fit the store.", "Open the store with the key that it was encrypted with."),
        .missingKey: ErrorAdvice(
            "The key of the store is not available.",
            "Provide the key. A key file must exist and must be accessible to its owner only."),
        .authenticationFailed: ErrorAdvice(
            "An encrypted value is not authentic.",
            "The files were changed by something other than the store. Restore a backup."),
        .unavailable: ErrorAdvice(
            "A service that the store needs does not answer.", "Start or install the service, then try again."),
        .noCurrentUser: ErrorAdvice("No user is signed in.", "Sign in, then try again."),
    ]

    /// Failures of a call, with nothing changed.
    private static let use: [StorageError.Code: ErrorAdvice] = [
        .invalidArgument: ErrorAdvice(
            "The request is not valid.", "Change the argument that the details name. Nothing has been changed."),
        .namespaceDropped: ErrorAdvice(
            "The namespace was removed meanwhile.", "Try again. The next write creates the namespace."),
        .conflict: ErrorAdvice(
            "Another change came first.", "Try again. Nothing has been written."),
        .unsupported: ErrorAdvice(
            "This kind of store can't do that.",
            "Use a function that it has. The details name the missing capability."),
        .stalled: ErrorAdvice(
            "The store is too busy to accept the change now.",
            "Wait a moment and try again. Nothing has been written."),
        .cancelled: ErrorAdvice("The work was cancelled.", "Start it again to continue. Finished parts remain."),
        .typeMismatch: ErrorAdvice(
            "The stored value has another type.", "Read the value as the type that it was stored as, or replace it."),
        .overflow: ErrorAdvice(
            "The number is too large.", "Store the number in a wider integer type. Nothing has been written."),
        .codecFailure: ErrorAdvice(
            "The value can't be encoded or decoded.",
            "Read the value as the type that it was stored as, or replace it. A migration can convert older values."),
    ]
}
