import ArgumentParser
import ShaleMaintenance

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Makes, verifies and prunes backups of a store.",
        discussion: """
            EXAMPLES
              shale backup create DIR BACKUPS
              shale backup follow DIR BACKUPS
              shale backup list BACKUPS
              shale backup verify BACKUPS
              shale backup prune BACKUPS --keep 7
              shale restore BACKUPS --into NEWDIR
              shale backup create DIR - | ssh host 'shale restore - --into NEWDIR'

            Backups in one directory share unchanged files, so that a backup copies only
            what is new since the last one. Each backup is complete by itself: any other
            can be removed. Those of "follow" can be restored as of any second.
            """,
        subcommands: [Create.self, Follow.self, List.self, Verify.self, Prune.self])

    struct Create: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Adds a backup of a store.",
            discussion: """
                EXAMPLES
                  shale backup create DIR BACKUPS
                  shale backup create DIR - | ssh host 'cat > store.backup'
                  shale backup create DIR - --encrypted --key-file backup.key > store.backup

                Verifies every copied file. Works on a store that is in use, and backs up its
                state at one moment. Interrupting the command leaves earlier backups unchanged.

                With "-" the whole store is written to standard output as one stream, which
                "restore -" reads. The answer is then on standard error. A stream that is cut
                is not restored.
                """)

        @OptionGroup var store: StoreArgument
        @OptionGroup var backups: BackupPlaceArgument

        @Flag(help: "Hard-link files on the same file system. Backup and store then share their bytes.")
        var link = false

        @Flag(help: "Encrypt the stream. Naming a key does the same.")
        var encrypted = false

        @OptionGroup(title: "Key of an encrypted stream") var keys: KeyOptions
        @OptionGroup(title: "Output") var output: OutputOptions

        func validate() throws {
            if backups.isStream, link { throw ValidationError("a stream has no links: it excludes --link") }
            if !backups.isStream, encrypted || keys.isNamed {
                throw ValidationError("only a stream, \"-\", is encrypted")
            }
        }

        func run() throws {
            if backups.isStream { return try writeStream() }
            let engine = try StoreAccess.openEngine(store.path, .readOnly)
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

        @Option(help: "Verify only the backup with this number.")
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
            commandName: "prune", abstract: "Removes old backups and the files that no other backup uses.",
            discussion: """
                EXAMPLES
                  shale backup prune BACKUPS --keep 7
                """)

        @OptionGroup var backups: BackupArgument

        @Option(help: "The number of newest backups to keep.")
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

/// A directory of backups, or one backup as a stream.
struct BackupPlaceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The directory of the backups; \"-\" is a stream on standard output or input.", valueName: "backups"),
        completion: .directory)
    var path: String

    var isStream: Bool { path == "-" }
}

struct CheckpointCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Makes a copy of a store from hard links.",
        discussion: """
            EXAMPLES
              shale checkpoint DIR --into NEWDIR

            Takes almost no time and space. The copy shares its bytes with DIR, so it is
            not a backup. NEWDIR must be absent or empty and on the same file system.
            Works on a store that is in use, and copies its state at one moment.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("The new store's directory, absent or empty.", valueName: "dir"), completion: .directory)
    var into: String

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let engine = try StoreAccess.openEngine(store.path, .readOnly)
        try engine.checkpoint(at: into)
        let report = CheckpointReport(
            segments: engine.statistics.levels.reduce(0) { $0 + $1.segments },
            storedBytes: engine.statistics.storedBytes)
        try engine.close()
        try report.show(output)
    }
}

/// Backups, oldest first.
struct BackupReport: Report {
    static let command = "backup"

    struct Row: Encodable {
        static let columns = [
            "number", "createdAt", "restorableThrough", "restoredAt", "entries", "segments", "storedBytes",
            "copiedSegments", "copiedBytes",
        ]

        /// 0 for a stream.
        let number: UInt64
        let createdAt: String
        /// The last moment in the backup's shipped log; `createdAt` without one.
        let restorableThrough: String
        /// The moment that was restored; `nil` for other actions.
        let restoredAt: String?
        /// The entries in segments, without those of the shipped log.
        let entries: UInt64
        let segments: Int
        let storedBytes: UInt64
        /// The files copied to make or restore the backup; `nil` in a list, because backups don't record them.
        let copiedSegments: Int?
        let copiedBytes: UInt64?
    }

    /// The action: create, list or restore.
    let action: String
    let backups: [Row]

    init(command: String, _ infos: [BackupInfo]) {
        action = command
        let isDone = command != "list"
        backups = infos.map {
            Row(
                number: $0.number,
                createdAt: timestamp($0.created), restorableThrough: timestamp($0.restorableThrough),
                restoredAt: $0.restored.map { timestamp($0) },
                entries: $0.entries, segments: $0.segments, storedBytes: $0.storedBytes,
                copiedSegments: isDone ? $0.copiedSegments : nil, copiedBytes: isDone ? $0.copiedBytes : nil)
        }
    }

    var table: RowTable { RowTable(columns: Row.columns, backups) }

    func text() -> Shown {
        guard action == "list" else {
            return backups.map { row in
                let copied: Shown =
                    action == "create" && row.number != 0 ? ", \(Figures.bytes(row.copiedBytes ?? 0)) of them new" : ""
                let name: Shown = row.number == 0 ? "stream" : "backup \(row.number)"
                let moment: Shown = row.restoredAt.map { " as of \($0)" } ?? ""
                return "\(name)\(moment): \(Figures.count(row.entries, "entry", "entries")), "
                    + "\(Figures.bytes(row.storedBytes))\(copied)"
            }.joined(separator: "\n")
        }
        var table = Table(["BACKUP", "MADE", "THROUGH", "ENTRIES", "STORED"], rightAligned: [0, 3, 4])
        for row in backups {
            table.add(
                Shown(row.number), Shown(row.createdAt), Shown(row.restorableThrough), Figures.count(row.entries),
                Figures.bytes(row.storedBytes))
        }
        return table.text
    }
}

struct BackupProblems: Report {
    static let command = "backup"

    let problems: [VerifyReport.Problem]

    init(_ errors: [StorageError]) {
        problems = errors.map {
            VerifyReport.Problem(code: $0.code.rawValue, message: $0.message, file: $0.file, offset: $0.offset)
        }
    }

    var table: RowTable { RowTable(columns: VerifyReport.Problem.columns, problems) }

    func text() -> Shown {
        problems.isEmpty
            ? "sound"
            : problems.map { problem in
                problem.text
            }.joined(separator: "\n")
    }
}

struct PrunedReport: Report {
    static let command = "backup"

    let removed: [UInt64]

    func text() -> Shown {
        removed.isEmpty ? "nothing to remove" : "removed \(removed.map { Shown($0) }.joined(separator: ", "))"
    }
}

struct CheckpointReport: Report {
    static let command = "checkpoint"

    let segments: Int
    let storedBytes: UInt64

    func text() -> Shown { "\(Figures.count(segments, "segment")), \(Figures.bytes(storedBytes)) linked" }
}
