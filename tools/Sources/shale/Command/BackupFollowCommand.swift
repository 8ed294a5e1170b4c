import ArgumentParser
import ShaleMaintenance

extension BackupCommand {
    struct Follow: StoreCommand {
        static let configuration = CommandConfiguration(
            commandName: "follow",
            abstract: "Makes continuous backups of a store, until interrupted.",
            discussion: """
                EXAMPLES
                  shale backup follow DIR BACKUPS
                  shale backup follow DIR BACKUPS --every 0.5 --full-every 30 --keep 72
                  shale backup follow DIR BACKUPS --format ndjson
                  shale restore BACKUPS --at 2026-03-01T12:30:05Z --into NEWDIR

                Makes a backup and then ships each change as it is made, beside the process
                that has the store open. "restore --at" makes a store as it was at any time
                that is kept, at most the seconds of --every before.

                From time to time it makes another backup, which copies only what is new, and
                removes its own backups that no kept time needs. Backups made by "create"
                stay. No other command changes BACKUPS meanwhile; they can be listed,
                verified and restored. The command may be killed at any time. Started again,
                it begins with a new backup.

                ^C ends the command with code 0.
                """)

        @OptionGroup var store: StoreArgument
        @OptionGroup var backups: BackupArgument

        @Option(help: ArgumentHelp("The time between two looks at the store, 0.01 to 3600.", valueName: "seconds"))
        var every = 1.0

        @Option(
            help: ArgumentHelp("The time after which a change makes a new backup, 1 to 1440.", valueName: "minutes"))
        var fullEvery = 10.0

        @Option(help: ArgumentHelp("The time that can be restored, 0 to 100000.", valueName: "hours"))
        var keep = 24.0

        @Flag(help: "Hard-link files on the same file system. Backup and store then share their bytes.")
        var link = false

        @OptionGroup(title: "Output") var output: OutputOptions

        func validate() throws {
            guard 0.01...3600 ~= every else { throw ValidationError("--every takes 0.01 to 3600") }
            guard 1...1440 ~= fullEvery else { throw ValidationError("--full-every takes 1 to 1440") }
            guard 0...100_000 ~= keep else { throw ValidationError("--keep takes 0 to 100000") }
            if output.format == .json {
                throw ValidationError("follow can't print one JSON object: use ndjson or csv")
            }
        }

        func run() throws {
            Interruption.catchIt()
            let follower = try follower()
            let progress = Progress("follow", isQuiet: output.quiet)
            defer { progress.erase() }
            var writer = try RowWriter<FollowRow>(
                output.format, command: "backup", head: FollowRow.Head(), list: "steps")
            let clock = ContinuousClock()
            var shippedBytes: UInt64 = 0
            while !Interruption.hasCome {
                let begin = clock.now
                guard let step = try step(of: follower, progress) else { break }
                if case .shipped(_, let bytes) = step { shippedBytes += bytes }
                progress.update(
                    fraction: nil, "\(Figures.bytes(shippedBytes)) shipped, \(Figures.duration(progress.elapsed))")
                if let row = FollowRow(step), output.format != .human || row.isBackup {
                    progress.erase()
                    try writer.write(row)
                    try writer.flush()
                }
                Interruption.wait(until: begin + .seconds(every))
            }
            try follower.close()
            try writer.finish()
        }

        /// Begins without the opened store, whose state would keep files.
        private func follower() throws -> BackupFollower {
            var options = BackupFollower.Options()
            options.interval = .seconds(every)
            options.backupInterval = .seconds(60 * fullEvery)
            options.keptTime = .seconds(3600 * keep)
            options.backup.linksFiles = link
            return try BackupFollower(
                try StoreAccess.openEngine(store.path, .readOnly), to: backups.path, options: options)
        }

        /// Returns `nil` if the interruption came while a backup was being made. The backup is left over.
        private func step(of follower: BackupFollower, _ progress: Progress) throws -> BackupFollower.Step? {
            do throws(StorageError) {
                return try follower.step(progress: progress.updateMaking)
            } catch {
                guard error.code == .cancelled, Interruption.hasCome else { throw error }
                return nil
            }
        }
    }
}

/// A step of `backup follow` for output.
private struct FollowRow: ListedRow {
    struct Head: Encodable {}

    /// "backup" or "moment".
    let kind: String
    let number: UInt64?
    let createdAt: String?
    let batches: UInt64?
    /// The bytes that were shipped, or copied for a backup.
    let bytes: UInt64
    /// The backups that were removed.
    let removed: [UInt64]?

    enum CodingKeys: String, CodingKey, CaseIterable { case kind, number, createdAt, batches, bytes, removed }

    static var columns: [String] { CodingKeys.allCases.map(\.rawValue) }

    var isBackup: Bool { number != nil }

    /// Returns `nil` for a step that did nothing.
    init?(_ step: BackupFollower.Step) {
        switch step {
        case .unchanged: return nil
        case .shipped(let batches, let bytes):
            kind = "moment"
            (number, createdAt, removed) = (nil, nil, nil)
            self.batches = batches
            self.bytes = bytes
        case .backedUp(let info, let removed):
            kind = "backup"
            number = info.number
            createdAt = timestamp(info.created)
            batches = nil
            bytes = info.copiedBytes
            self.removed = removed
        }
    }

    func line() throws -> Shown {
        let removed = removed ?? []
        let removal: Shown =
            removed.isEmpty ? "" : ", removed \(removed.map { Shown($0) }.joined(separator: ", "))"
        return "backup \(number ?? 0): \(Figures.bytes(bytes)) copied\(removal)"
    }
}
