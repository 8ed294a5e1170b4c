import ShaleEngine

extension Interruption {
    /// Of a command that ended because of it, as shells report it of SIGINT.
    static let exitCode: Int32 = 130

    /// Throws `.cancelled` once it has come: long work then ends where nothing is half done.
    static func check() throws(StorageError) {
        guard hasCome else { return }
        throw StorageError(.cancelled, "interrupted: nothing is lost, and what was finished stays")
    }
}
