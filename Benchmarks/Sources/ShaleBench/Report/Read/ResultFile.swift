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
