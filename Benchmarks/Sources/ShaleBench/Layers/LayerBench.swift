/// The cost of Shale's layers: rows that compare Shale with a part of itself, alternating in one process.
final class LayerBench: Bench {
    let stores: LayerStores

    init(_ assignment: Assignment, report: @escaping (ResultRow) throws -> Void) {
        stores = LayerStores(path: assignment.directory)
        super.init(assignment, stores, report: report)
    }

    func run() throws {
        for step in assignment.steps {
            try remove()
            try open()
            switch step.workload {
            case .typedcalls: try typedCalls()
            case .jsoncalls: try jsonCalls()
            case .observers: try observers()
            case .dictionaries: try dictionaries()
            default: throw BenchError("\(step.workload) is not about layers")
            }
        }
        try close()
    }

    /// A small number of entries is visited repeatedly, so that the time can be measured.
    var operations: Int { max(assignment.entries, min(assignment.operationsMax, 200_000)) }

    /// Measures the sides and emits a row for each.
    func emit(
        _ name: String, _ sides: [Turns.Side], operations: Int, valueBytes: Int, turns: Turns = Turns()
    ) throws {
        let seconds = try turns.measure(sides, count: operations)
        for (side, seconds) in zip(sides, seconds) {
            try emit(
                row(name, side.peer, operations: operations, seconds: seconds, valueBytes: valueBytes) { row in
                    row.note = "by the median of turns of \(turns.length)"
                })
        }
    }

    func row(
        _ name: String, _ peer: String, operations: Int, seconds: Double, valueBytes: Int,
        _ change: (inout ResultRow) throws -> Void
    ) rethrows -> ResultRow {
        var row = ResultRow(
            peer: peer, workload: name, entries: assignment.entries, operations: operations, seconds: seconds)
        row.run = assignment.run
        row.keyBytes = TypedKey.byteCount
        row.valueBytes = valueBytes
        try change(&row)
        return row
    }
}
