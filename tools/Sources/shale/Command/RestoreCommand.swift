import ArgumentParser
import ShaleMaintenance

struct RestoreCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a store from a backup.",
        discussion: """
            EXAMPLES
              shale restore BACKUPS --into NEWDIR
              shale restore BACKUPS --number 3 --into NEWDIR
              shale restore BACKUPS --at 2026-03-01T12:30:05Z --into NEWDIR
              ssh host 'cat store.backup' | shale restore - --into NEWDIR
              shale restore - --into NEWDIR --key-file backup.key < store.backup

            NEWDIR must be absent or empty. It becomes a store only after every byte has
            been verified. After a failure it is absent or empty as before. If a key is
            named, a stream that is not encrypted is refused.

            With --at the store is as it was at that time, or at the last moment before it
            that "backup follow" has shipped, or that of the last backup before it.
            """)

    @OptionGroup var backups: BackupPlaceArgument

    @Option(help: ArgumentHelp("The new store's directory, absent or empty.", valueName: "dir"), completion: .directory)
    var into: String

    @Option(help: "The number of the backup; default: the newest.")
    var number: UInt64?

    @Option(
        help: ArgumentHelp(
            "Restore the state of this time, in ISO 8601 with a time zone; default: the newest backup.",
            valueName: "time"))
    var at: DateArgument?

    @Flag(help: "Hard-link files on the same file system. Backup and store then share their bytes.")
    var link = false

    @OptionGroup(title: "Key of an encrypted stream") var keys: KeyOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if backups.isStream, link || number != nil || at != nil {
            throw ValidationError("a stream is one backup without links: it excludes --number, --at and --link")
        }
        if at != nil, number != nil { throw ValidationError("--at chooses the backup: it excludes --number") }
        if backups.isStream, keys.passphraseFd == 0 {
            throw ValidationError("standard input is the stream: pass the passphrase on another descriptor")
        }
        if !backups.isStream, keys.isNamed { throw ValidationError("only a stream, \"-\", takes a key") }
    }

    func run() throws {
        let progress = Progress("restore", isQuiet: output.quiet)
        defer { progress.erase() }
        if backups.isStream { return try readStream(progress) }
        var options = BackupOptions()
        options.linksFiles = link
        Interruption.catchIt()
        let info =
            if let at {
                try Maintenance.restore(
                    from: backups.path, at: at.date, into: into, options: options, progress: progress.updateMaking)
            } else {
                try Maintenance.restore(
                    from: backups.path, number: number, into: into, options: options, progress: progress.updateMaking)
            }
        try BackupReport(command: "restore", [info]).show(output)
    }
}
