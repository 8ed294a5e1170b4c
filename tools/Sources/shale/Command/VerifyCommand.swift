import ArgumentParser
import ShaleMaintenance

struct VerifyCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads every live byte and checks it.",
        discussion: """
            EXAMPLES
              shale verify DIR
              shale verify DIR --json | jq .losses
              shale verify DIR --format csv --rows losses > lost.csv
              shale verify DIR --threads 1

            Checks the checksums, order and counts of all files that the store needs, and
            changes nothing. If a file is damaged, the command names the file, the offset
            and the lost keys, and ends with code 2.
            """)

    /// The kind of rows for the formats with rows.
    enum Rows: String, ExpressibleByArgument, CaseIterable { case summary, problems, losses }

    @OptionGroup var store: StoreArgument

    @Option(help: "What a row of --format ndjson and csv describes.")
    var rows = Rows.summary

    @Option(help: "The number of reading threads, 1 to 64; default: one for each processor.")
    var threads: Int?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        if let threads, !(1...64).contains(threads) { throw ValidationError("--threads takes 1 to 64") }
    }

    func run() throws {
        var report = try Self.verify(store.path, threads: threads, isQuiet: output.quiet)
        report.rows = rows
        try report.show(output)
        if !report.problems.isEmpty { throw ExitCode(ExitStatus.corruption.rawValue) }
    }

    static func verify(_ path: String, threads: Int? = nil, isQuiet: Bool) throws -> VerifyReport {
        let progress = Progress("verify", isQuiet: isQuiet)
        defer { progress.erase() }
        let found = try Maintenance.verify(storeAt: path, threads: threads) { step in progress.update(step) }
        return VerifyReport(found, seconds: progress.elapsed.seconds)
    }
}

struct VerifyReport: Report {
    static let command = "verify"

    struct Problem: Encodable {
        static let columns = ["code", "message", "file", "offset"]

        let code: String
        let message: String
        let file: String?
        let offset: UInt64?

        /// The problem for people.
        var text: Shown {
            var line: Shown = "\(code): \(message: message)"
            if let file { line += " file=\(file)" }
            if let offset { line += " offset=\(offset)" }
            return line
        }
    }

    let files: Int
    let bytes: UInt64
    let entries: UInt64
    let seconds: Double
    let problems: [Problem]
    let losses: [LossRow]
    var rows = VerifyCommand.Rows.summary

    enum CodingKeys: String, CodingKey { case files, bytes, entries, seconds, problems, losses }

    var table: RowTable {
        switch rows {
        case .summary: RowTable([self])
        case .problems: RowTable(columns: Problem.columns, problems)
        case .losses: RowTable(columns: LossRow.columns, losses)
        }
    }

    init(_ found: StoreVerification, seconds: Double) {
        files = found.files
        bytes = found.bytes
        entries = found.entries
        self.seconds = seconds
        problems = found.problems.map {
            Problem(code: $0.code.rawValue, message: $0.message, file: $0.file, offset: $0.offset)
        }
        losses = found.losses.map { LossRow($0) }
    }

    func text() -> Shown {
        // A store that can't be opened was only examined for losses.
        let read: Shown =
            files == 0 && !problems.isEmpty
            ? "the store could not be opened; checked in "
            : "\(Figures.count(files, "file")), \(Figures.bytes(bytes)), \(Figures.count(entries, "entry", "entries")) "
                + "read in "
        let head = read + Figures.duration(.seconds(seconds))
        guard !problems.isEmpty else { return head + ": sound" }
        let lines = [head + ": \(Figures.count(problems.count, "problem"))"] + problems.map(\.text)
        return (lines + losses.map { "lost: \($0.text)" }).joined(separator: "\n")
    }
}
