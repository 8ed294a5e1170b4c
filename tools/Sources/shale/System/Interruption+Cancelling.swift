import ShaleEngine

extension Interruption {
    /// The exit code of a command that ended because of it, as shells report SIGINT.
    static let exitCode: Int32 = 130

    /// Throws `.cancelled` with `message` once a signal has come. Long work then ends where nothing is half done.
    static func check(_ message: String) throws(StorageError) {
        guard hasCome else { return }
        throw StorageError(.cancelled, message)
    }

    /// Does the same for work that makes something, and removes it again if it ends early.
    static func checkMaking() throws(StorageError) {
        try check("interrupted: nothing was made, and no partial output is left")
    }
}
