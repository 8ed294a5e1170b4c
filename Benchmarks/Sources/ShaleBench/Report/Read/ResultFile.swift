import Foundation

/// One run of the benchmarks, as its result file describes it.
struct ResultFile: Sendable {
    var machine: ResultMachine
    var rooflines: [ResultRoofline] = []
    /// The rows, including warm-ups.
    var rows: [ResultRow] = []

    /// Reads `path`. O(size of the file).
    static func read(_ path: String) throws(ResultFileError) -> ResultFile {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ResultFileError(path: path, problem: "can't be read: \(error.localizedDescription)")
        }
        return try ResultFile(data, path: path)
    }

    /// Parses `data`; `path` is only for error messages.
    init(_ data: Data, path: String) throws(ResultFileError) {
        var reader = ResultFileReader(path: path)
        var line = 0
        for bytes in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            guard !bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { continue }
            try reader.add(Data(bytes), line: line)
        }
        self = try reader.finish()
    }

    init(machine: ResultMachine) { self.machine = machine }
}

/// A result file that can't be reported on, with the position of the problem.
struct ResultFileError: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The line, from 1; `nil` for the file as a whole.
    var line: Int?
    let problem: String

    init(path: String, line: Int? = nil, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(problem)"
    }
}

/// Collects the lines of a result file and rejects those that would make the report wrong. Every error names its line.
struct ResultFileReader {
    /// The member to check before the rest of a line: members of another schema have other meanings.
    private struct Head: Decodable {
        let schema: Int?
    }

    private let path: String
    private let decoder = JSONDecoder()
    private var file: ResultFile?

    init(path: String) { self.path = path }

    mutating func add(_ bytes: Data, line: Int) throws(ResultFileError) {
        try checkSchema(decode(Head.self, from: bytes, line: line).schema, line: line)
        switch try decode(ResultLine.self, from: bytes, line: line) {
        case .machine(let machine): try begin(machine, line: line)
        case .roofline(let roofline):
            try requireMachine(line: line)
            file?.rooflines.append(roofline)
        case .row(let row):
            try requireMachine(line: line)
            try check(row, line: line)
            file?.rows.append(row)
        case .other: try requireMachine(line: line)
        }
    }

    func finish() throws(ResultFileError) -> ResultFile {
        guard let file else { throw ResultFileError(path: path, problem: "holds no results") }
        guard file.rows.contains(where: { $0.run >= 0 }) else {
            throw ResultFileError(path: path, problem: "holds no rows beside warm-ups: nothing to report on")
        }
        return file
    }

    private func checkSchema(_ schema: Int?, line: Int) throws(ResultFileError) {
        guard schema != ResultLine.schema else { return }
        let found = schema.map { "schema \($0)" } ?? "no schema"
        throw fault(
            "\(found), and this version reads schema \(ResultLine.schema) only; report with the version that measured",
            line)
    }

    private mutating func begin(_ machine: ResultMachine, line: Int) throws(ResultFileError) {
        guard file == nil else {
            throw fault("a second machine line: figures of different runs can't be compared, report on each file", line)
        }
        file = ResultFile(machine: machine)
    }

    private func requireMachine(line: Int) throws(ResultFileError) {
        guard file == nil else { return }
        throw fault("the machine line has to come first", line)
    }

    /// Checks that medians and ratios can be computed from a row.
    private func check(_ row: ResultRow, line: Int) throws(ResultFileError) {
        guard row.run >= -1 else { throw fault("run \(row.run) is not a repetition", line) }
        guard row.entries >= 0, row.threads >= 1, row.operations >= 0 else {
            throw fault("entries, threads or operations out of range", line)
        }
        guard row.seconds >= 0, row.perSecond >= 0 else { throw fault("a negative duration or rate", line) }
        if let timeline = row.timeline {
            guard timeline.intervalSeconds > 0, timeline.perSecond.count == timeline.longestMicroseconds.count else {
                throw fault("a timeline whose lists differ in length, or without an interval", line)
            }
        }
        guard row.latency?.curve.allSatisfy({ $0.count == 2 }) != false else {
            throw fault("a latency curve with a point that is not a pair", line)
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, line: Int
    ) throws(ResultFileError) -> Value {
        do {
            return try decoder.decode(type, from: bytes)
        } catch let error as DecodingError {
            throw fault(Self.text(of: error), line)
        } catch {
            throw fault("\(error)", line)
        }
    }

    private func fault(_ problem: String, _ line: Int) -> ResultFileError {
        ResultFileError(path: path, line: line, problem: problem)
    }

    private static func text(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(member(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context): "\(member(context.codingPath)) is null"
        case .typeMismatch(let type, let context): "\(member(context.codingPath)) is not of type \(type)"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "not a JSON object; was the run interrupted?"
                : "\(member(context.codingPath)): \(context.debugDescription)"
        @unknown default: "\(error)"
        }
    }

    private static func member(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the line" : path.map(\.stringValue).joined(separator: ".")
    }
}
