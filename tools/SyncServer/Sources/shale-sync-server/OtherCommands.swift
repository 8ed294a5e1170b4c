import ArgumentParser
import Posix
import ShaleSyncServer
import SyncServerHTTP

/// Makes a token. It is printed for a file, and never an argument.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Prints a line for the file of tokens, with a new token of 256 random bits.")

    @Argument(help: "The id of the user, at most 512 bytes.")
    var user: String

    func validate() throws {
        let isPlain = user.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let isTrimmed = user.first != " " && user.last != " "
        guard 1...SyncServer.userBytes ~= user.utf8.count, isPlain, isTrimmed else {
            throw ValidationError("an id has 1 to \(SyncServer.userBytes) bytes, without control characters")
        }
    }

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        let token = (0..<64).map { _ in digits[Int(UInt8.random(in: 0...15, using: &generator))] }
        try writeFully(token + Array(" \(user)\n".utf8), to: STDOUT_FILENO, named: "standard output")
    }
}

/// Removes what the server has of a user.
struct RemoveUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-user", abstract: "Removes all data of a user. The server must not run.",
        discussion: """
            Take the user's tokens out of the file first: devices that may still call send
            again what they have.
            """)

    @OptionGroup var store: DirectoryArgument

    @Argument(help: "The id of the user.")
    var user: String

    func run() async throws {
        var options = Store.Options()
        options.engine.mode = .openExisting
        let store = try await Store.open(at: store.directory, options: options)
        do throws(StorageError) {
            try await SyncServer(store).removeUser(user)
        } catch {
            try await store.close()
            throw error
        }
        try await store.close()
    }
}
