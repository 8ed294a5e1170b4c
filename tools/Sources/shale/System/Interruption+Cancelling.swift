import ShaleEngine

extension Interruption {
    /// Of a command that ended because of it, as shells report it of SIGINT.
    static let exitCode: Int32 = 130

    /// Throws `.cancelled` with `message` once it has come: long work then ends where nothing is half done.
    static func check(_ message: String) throws(StorageError) {
        guard hasCome else { return }
        throw StorageError(.cancelled, message)
    }

    /// The same for work that makes something, and takes it away again when it ends early.
    static func checkMaking() throws(StorageError) {
        try check("interrupted: nothing was made, and nothing is left of it")
    }
}
