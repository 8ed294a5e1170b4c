import ArgumentParser
import ShaleMaintenance

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Makes and keeps backups of a store.",
        discussion: """
            EXAMPLES
              shale backup create DIR BACKUPS
              shale backup list BACKUPS
              shale backup verify BACKUPS
              shale backup prune BACKUPS --keep 7
              shale restore BACKUPS --into NEWDIR

            Backups in one directory share the files that they have in common: a backup
            costs what is new since the last. Each is whole by itself, and others can go.
            """,
        subcommands: [Create.self, List.self, Verify.self, Prune.self])

    struct Create: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Adds a backup of a store.",
            discussion: """
                EXAMPLES
                  shale backup create DIR BACKUPS

                Takes the store's lock: a program backs up the store that it has open by
                Maintenance.backUp. What is copied is verified. Interrupting it leaves the
                earlier backups as they were.
                """)

        @OptionGroup var store: StoreArgument
        @OptionGroup var backups: BackupArgument

        @Flag(help: "Hard-link files on the same file system. Backup and store then share their bytes.")
        var link = false

        @OptionGroup(title: "Output") var output: OutputOptions

        func run() throws {
            let engine = try StoreAccess.openEngine(store.path, .openExisting)
            let progress = Progress("backup", isQuiet: output.quiet)
            defer { progress.erase() }
            var options = BackupOptions()
            options.linksFiles = link
            Interruption.catchIt()
            let info = try Maintenance.backUp(
                engine, to: backups.path, options: options, progress: progress.updateMaking)
            try engine.close()
            try BackupReport(command: "create", [info]).show(output)
        }
    }

    struct List: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists backups, oldest first.",
            discussion: """
                EXAMPLES
                  shale backup list BACKUPS --format csv
                """)

        @OptionGroup var backups: BackupArgument
        @OptionGroup(title: "Output") var output: OutputOptions

        func run() throws {
            try BackupReport(command: "list", try Maintenance.backups(in: backups.path)).show(output)
        }
    }

    struct Verify: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Reads every byte of backups and checks it.",
            discussion: """
                EXAMPLES
                  shale backup verify BACKUPS
                """)

        @OptionGroup var backups: BackupArgument

        @Option(help: "Only this backup.")
        var number: UInt64?

        @OptionGroup(title: "Output") var output: OutputOptions

        func run() throws {
            let progress = Progress("verify", isQuiet: output.quiet)
            defer { progress.erase() }
            let problems = try Maintenance.verifyBackups(in: backups.path, number: number) { step in
                progress.update(step)
            }
            try BackupProblems(problems).show(output)
            if !problems.isEmpty { throw ExitCode(ExitStatus.corruption.rawValue) }
        }
    }

    struct Prune: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune", abstract: "Removes old backups and the files that only they had.",
            discussion: """
                EXAMPLES
                  shale backup prune BACKUPS --keep 7
                """)

        @OptionGroup var backups: BackupArgument

        @Option(help: "How many of the newest stay.")
        var keep: Int

        @OptionGroup(title: "Output") var output: OutputOptions

        func run() throws {
            let gone = try Maintenance.pruneBackups(in: backups.path, keeping: keep)
            try PrunedReport(removed: gone).show(output)
        }
    }
}

struct BackupArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The directory of the backups.", valueName: "backups"), completion: .directory)
    var path: String
}

struct RestoreCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a store of a backup.",
        discussion: """
            EXAMPLES
              shale restore BACKUPS --into NEWDIR
              shale restore BACKUPS --number 3 --into NEWDIR

            NEWDIR must be absent or empty. Every byte is verified, and NEWDIR becomes a
            store only then.
            """)

    @OptionGroup var backups: BackupArgument

    @Option(help: ArgumentHelp("The new store's directory, absent or empty.", valueName: "dir"), completion: .directory)
    var into: String

    @Option(help: "Which backup; the newest otherwise.")
    var number: UInt64?

    @Flag(help: "Hard-link files on the same file system. Backup and store then share their bytes.")
    var link = false

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let progress = Progress("restore", isQuiet: output.quiet)
        defer { progress.erase() }
        var options = BackupOptions()
        options.linksFiles = link
        Interruption.catchIt()
        let info = try Maintenance.restore(
            from: backups.path, number: number, into: into, options: options, progress: progress.updateMaking)
        try BackupReport(command: "restore", [info]).show(output)
    }
}

struct CheckpointCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Makes a copy of a store of hard links.",
        discussion: """
            EXAMPLES
              shale checkpoint DIR --into NEWDIR

            Costs neither time nor space, but shares the bytes of the files with DIR: it
            is no backup. NEWDIR must be absent or empty and on the same file system.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("The new store's directory, absent or empty.", valueName: "dir"), completion: .directory)
    var into: String

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let engine = try StoreAccess.openEngine(store.path, .openExisting)
        try engine.checkpoint(at: into)
        let report = CheckpointReport(
            segments: engine.statistics.levels.reduce(0) { $0 + $1.segments },
            storedBytes: engine.statistics.storedBytes)
        try engine.close()
        try report.show(output)
    }
}
