import Shale
import ShaleMaintenance

/// Backups on standard output.
extension BackupCommand.Create {
    func writeStream() throws {
        guard !Terminal.isOutputTerminal else {
            throw ToolFailure.usage("standard output is a terminal: redirect it, or pipe it to another command")
        }
        var options = BackupStreamOptions()
        if encrypted || keys.isNamed { options.encryption = try keys.encryption(asks: true) }
        let engine = try StoreAccess.openEngine(store.path, .readOnly)
        let progress = Progress("backup", isQuiet: output.quiet)
        // ^C ends the process: there is nothing to remove, and a stream that is cut is not restored.
        let info: BackupInfo
        do {
            info = try Maintenance.backUp(engine, options: options, progress: { progress.update($0) }) {
                (bytes) throws(StorageError) in try StandardOutput.write(bytes)
            }
        } catch {
            progress.erase()
            throw error
        }
        progress.erase()
        try engine.close()
        try BackupReport(command: "create", [info]).note(output)
    }
}

/// Backups on standard input.
extension RestoreCommand {
    func readStream(_ progress: Progress) throws {
        guard isatty(STDIN_FILENO) != 1 else {
            throw ToolFailure.usage("standard input is a terminal: redirect it, or pipe another command to it")
        }
        let input = try ByteStream(path: backups.path)
        var options = BackupStreamOptions()
        options.encryption = try keys.encryption(asks: true)
        // Variables of the environment apply to all commands, so they don't count as naming a key for this one.
        options.acceptsUnencrypted = !keys.isNamed
        Interruption.catchIt()
        let info: BackupInfo
        do throws(StorageError) {
            info = try Maintenance.restore(into: into, options: options, progress: progress.updateMaking) {
                () throws(StorageError) in
                try input.wait()
                return try input.piece()
            }
        } catch {
            // An error without a file concerns the stream.
            guard error.code == .invalidArgument, error.file == nil else { throw error }
            throw ToolFailure.badInput(error.message)
        }
        progress.erase()
        try BackupReport(command: "restore", [info]).show(output)
    }
}
