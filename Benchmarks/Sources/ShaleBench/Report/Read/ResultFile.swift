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
