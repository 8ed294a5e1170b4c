import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

/// Alternates between the sides of a comparison: a number of operations of one side, as many of the next, with another
/// side first each time. Temporary slowness then affects all sides.
struct Turns {
    struct Side {
        /// The name in result files.
        let peer: String
        /// Performs the operations of a range of positions.
        let run: (Range<Int>) throws -> Void
        /// Work before the next side's turn that is not measured.
        var rest: () throws -> Void = {}
    }

    /// The number of operations per turn.
    var length = 256

    /// Returns the seconds that each side takes for all positions below `count`, extrapolated from its median turn. A
    /// flush during one turn therefore has no effect.
    func measure(_ sides: [Side], count: Int) throws -> [Double] {
        var turns = [[Double]](repeating: [], count: sides.count)
        for (turn, start) in stride(from: 0, to: count, by: length).enumerated() {
            let range = start..<min(count, start + length)
            for place in sides.indices {
                let side = (place + turn) % sides.count
                let began = Clock.now
                try sides[side].run(range)
                turns[side].append(Clock.seconds(since: began) / Double(range.count))
                try sides[side].rest()
            }
        }
        return turns.map { $0.median * Double(count) }
    }
}

/// Several Shale stores in one directory, for measuring the layers between the interface and the engine.
final class LayerStores: PeerStore {
    static let summary =
        "what the layers cost: Store and its engine with default options, in turn in one process"

    private let path: String
    private var stores: [Store] = []

    init(path: String) { self.path = path }

    func open() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func close() throws {
        for store in stores { try store.close() }
        stores = []
    }

    func flush() throws { for store in stores { try store.engine.flush() } }

    var isBusy: Bool { stores.contains { $0.engine.statistics.immutableMemtables > 0 } }

    func directory(_ name: String) -> String { path + "/" + name }

    /// Opens the store `name`, which is closed with the others.
    func store(_ name: String, _ options: Store.Options = Store.Options()) throws -> Store {
        let store = try Store(at: directory(name), options: options)
        stores.append(store)
        return store
    }
}
