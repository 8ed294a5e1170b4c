/// Writes entries one by one: memory does not depend on how many there are.
struct EntryWriter: ~Copyable {
    private let format: OutputFormat
    private let command: String
    private let opening: ScanReport.Opening
    private var output = Terminal.Output()
    private(set) var count = 0

    init(_ format: OutputFormat, command: String, namespace: String, user: String?) throws {
        self.format = format
        self.command = command
        opening = ScanReport.Opening(namespace: namespace, user: user)
        switch format {
        case .json:
            try output.write(
                String(try jsonText(Envelope(command: command, body: opening)).dropLast()) + ",\"entries\":[")
        case .csv: try output.write(CSV.line(EntryReport.columns) + "\n")
        case .human, .ndjson: break
        }
    }

    mutating func write(_ entry: EntryReport) throws {
        switch format {
        case .human: try output.write(entry.line() + "\n")
        case .json: try output.write((count == 0 ? "\n" : ",\n") + jsonText(entry))
        case .ndjson: try output.write(jsonText(Envelope(command: command, body: entry)) + "\n")
        case .csv: try output.write(CSV.line(of: entry, EntryReport.columns) + "\n")
        }
        count += 1
    }

    mutating func finish() throws {
        if format == .json { try output.write("\n],\"count\":\(count)}\n") }
        try output.flush()
    }
}
