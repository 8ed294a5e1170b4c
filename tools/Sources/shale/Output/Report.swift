import ArgumentParser
import Formatting
import ShaleEngine
import ShaleInspection

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The answer of a command in every output format.
protocol Report: Encodable {
    /// The command's name.
    static var command: String { get }
    /// Returns the text for people.
    func text() throws -> Shown
    /// The rows for `ndjson` and `csv`: the listed items, or the answer itself if it is not a list.
    var table: RowTable { get }
}

/// The rows of an answer.
struct RowTable {
    /// The members that are columns of a CSV file, in order; `nil` means those of the first row in alphabetical order.
    /// They must be named if members or all rows may be missing.
    let columns: [String]?
    let rows: [any Encodable]

    init(columns: [String]? = nil, _ rows: [any Encodable]) {
        self.columns = columns
        self.rows = rows
    }
}

/// The version of the schema of all answers. It is raised when a member changes its meaning or is removed. New members
/// may be added at any time.
let schemaVersion = 1

/// The outermost object of every JSON answer, and of every line of an NDJSON one: the members of the body, with
/// `schema` and `command`.
struct Envelope<Body: Encodable>: Encodable {
    let command: String
    let body: Body

    enum Member: String, CodingKey { case schema, command }

    func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(schemaVersion, forKey: .schema)
        try container.encode(command, forKey: .command)
    }
}

extension Report {
    var table: RowTable { RowTable([self]) }

    func json() throws -> Shown { try jsonText(Envelope(command: Self.command, body: self)) }

    /// Returns the whole answer, without the last line feed.
    func output(as format: OutputFormat) throws -> Shown {
        switch format {
        case .human: return try text()
        case .json: return try json()
        case .ndjson:
            return try table.rows.map { try jsonText(envelope($0)) }.joined(separator: "\n")
        case .csv: return try CSV.text(table)
        }
    }

    private func envelope(_ row: some Encodable) -> any Encodable { Envelope(command: Self.command, body: row) }

    func show(_ output: OutputOptions) throws {
        let text = try self.output(as: output.format)
        // An empty answer has no lines.
        if text.isEmpty { return }
        try Terminal.print(text)
    }

    /// Shows the answer on standard error, for commands whose standard output is data.
    func note(_ output: OutputOptions) throws {
        let text = try self.output(as: output.format)
        if text.isEmpty || output.quiet && output.format == .human { return }
        Terminal.note(text)
    }
}

/// Returns one line of JSON with members in alphabetical order.
func jsonText(_ value: some Encodable) throws -> Shown {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Shown(json: String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// An error for scripts, on standard error.
struct ErrorReport: Report {
    static let command = "error"

    struct Details: Encodable {
        let code: String
        let message: String
        var file: String?
        var offset: UInt64?
        /// The error of the system.
        var cause: String?
        let exitCode: Int32
    }

    let error: Details

    func text() -> Shown { Shown(message: error.message) }

    init(_ failure: StorageError) {
        error = Details(
            code: failure.code.rawValue, message: failure.message, file: failure.file, offset: failure.offset,
            cause: failure.cause.map { "\($0)" }, exitCode: failure.exitStatus.rawValue)
    }

    init(_ failure: ToolFailure) {
        error = Details(code: failure.code, message: failure.message, exitCode: failure.status.rawValue)
    }
}

/// The format of an answer on standard output. See ShaleInspection.docc, "Using the command" and "The command".
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// Text for people. It may change with every version.
    case human
    /// One object that contains the whole answer.
    case json
    /// One object on each line, for each row.
    case ndjson
    /// RFC 4180 with line feeds: a line of names, then one for each row.
    case csv

    /// True if errors are objects too.
    var isJSON: Bool { self == .json || self == .ndjson }
}

/// The use of colour in text.
enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
}

/// The options of every command that answers something.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "The form of the output. With json and ndjson, errors are JSON objects too.", valueName: "format"))
    private var namedFormat: OutputFormat?

    @Flag(help: "The same as --format json.")
    private var json = false

    @Flag(name: .shortAndLong, help: "Show no progress and no remarks.")
    var quiet = false

    @Option(help: "When to use colour; auto: on terminals, unless NO_COLOR is set.")
    var color = ColorMode.auto

    var format: OutputFormat { namedFormat ?? (json ? .json : .human) }

    func validate() throws {
        if json, let namedFormat, namedFormat != .json {
            throw ValidationError("--json and --format \(namedFormat) exclude each other")
        }
    }
}

/// A finding for output.
struct FindingRow: Encodable {
    let kind: String
    let file: String
    let offset: UInt64?
    let message: String

    init(_ finding: Finding) {
        kind = finding.kind.rawValue
        file = finding.file
        offset = finding.offset
        message = finding.message
    }
}

extension [Finding] {
    var rows: [FindingRow] { map { FindingRow($0) } }

    /// Prints the findings on standard error, and ends the command with code 2 if any of them is damage.
    func conclude() throws {
        for finding in self {
            let offset = finding.offset.map { " offset=\($0)" as Shown } ?? ""
            Terminal.note("shale: \(finding.kind.rawValue): \(message: finding.message) file=\(finding.file)\(offset)")
        }
        if contains(where: \.isDamage) { throw ExitCode(ExitStatus.corruption.rawValue) }
    }
}
