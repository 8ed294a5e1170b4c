import ShaleMaintenance

/// Backups, oldest first.
struct BackupReport: Report {
    static let command = "backup"

    struct Row: Encodable {
        static let columns = [
            "number", "createdAt", "entries", "segments", "storedBytes", "copiedSegments", "copiedBytes",
        ]

        let number: UInt64
        let createdAt: String
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
                createdAt: timestamp(milliseconds: $0.createdMilliseconds),
                entries: $0.entries, segments: $0.segments, storedBytes: $0.storedBytes,
                copiedSegments: isDone ? $0.copiedSegments : nil, copiedBytes: isDone ? $0.copiedBytes : nil)
        }
    }

    var table: RowTable { RowTable(columns: Row.columns, backups) }

    func text() -> Shown {
        guard action == "list" else {
            return backups.map { row in
                let copied: Shown = action == "create" ? ", \(Figures.bytes(row.copiedBytes ?? 0)) of them new" : ""
                return "backup \(row.number): \(Figures.count(row.entries, "entry", "entries")), "
                    + "\(Figures.bytes(row.storedBytes))\(copied)"
            }.joined(separator: "\n")
        }
        var table = Table(["BACKUP", "MADE", "ENTRIES", "STORED"], rightAligned: [0, 2, 3])
        for row in backups {
            table.add(
                Shown(row.number), Shown(row.createdAt), Figures.count(row.entries), Figures.bytes(row.storedBytes))
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
