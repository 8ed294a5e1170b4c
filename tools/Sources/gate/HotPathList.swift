/// A hot path as `hot-paths --list` describes it.
struct ListedHotPath: Equatable {
    let name: String
    let operations: Int
    let operation: String

    static func all(binary: String) throws -> [ListedHotPath] {
        try Command.output(binary, ["--list"]).split(separator: "\n").map { line in
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 3, let operations = Int(fields[1]) else { throw GateError("no hot path: \(line)") }
            return ListedHotPath(name: fields[0], operations: operations, operation: fields[2])
        }
    }
}
