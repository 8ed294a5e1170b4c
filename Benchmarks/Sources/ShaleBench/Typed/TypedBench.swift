import Formatting

/// The load of an app's settings: small typed values, one at a time.
final class TypedBench: Bench {
    private let peer: any TypedPeer
    private var generation: UInt64 = 0
    /// The number of items in the store: 0 ..< filled.
    private var filled = 0
    private static let openings = 5

    init(_ assignment: Assignment, _ peer: any TypedPeer, report: @escaping (ResultRow) throws -> Void) {
        self.peer = peer
        super.init(assignment, peer, report: report)
    }

    private var entries: Int { assignment.entries }

    func run() throws {
        for step in assignment.steps {
            switch step.workload {
            case .typedset:
                try emit(try fill())
            case .typedupdate:
                try requireEntries()
                generation += 1
                let (row, _) = try set(
                    .typedupdate, .shuffled(Permutation(count: filled, seed: assignment.seed)), filled)
                try verify()
                try emit(row)
            case .typedget:
                try requireEntries()
                try get(step.workload)
            case .typedopen:
                try requireEntries()
                try reopen(step.workload)
            default: throw BenchError("\(step.workload) is not about typed values")
            }
        }
        try close()
    }

    private func requireEntries() throws {
        if filled == 0 { _ = try fill() }
    }

    private func fill() throws -> ResultRow {
        try remove()
        try open()
        generation = 0
        let (row, done) = try set(.typedset, .ascending, entries)
        filled = done
        try verify()
        return row
    }

    private func set(
        _ workload: Workload, _ order: FillOrder, _ count: Int
    ) throws -> (row: ResultRow, done: Int) {
        var userBytes = 0
        return try measureOperations(workload, count, secondsMax: peer.secondsMax) { position in
            let item = order[position]
            let value = TypedValue(item: item, generation: generation)
            userBytes += TypedKey.byteCount + value.byteCount
            try peer.set(value, forKey: TypedKey.key(item))
        } settling: { row, start, done in
            let live = (0..<max(filled, done)).reduce(0) {
                $0 + TypedKey.byteCount + TypedValue(item: $1, generation: generation).byteCount
            }
            try settle(&row, since: start, userBytes: userBytes, liveBytes: live)
        }
    }

    private func get(_ workload: Workload) throws {
        let count = min(entries, assignment.operationsMax)
        let (row, _) = try measureOperations(workload, count) { position in
            try check(pick(assignment.seed &+ UInt64(position), below: filled))
        }
        try emit(row)
    }

    /// Compares the value, as the caller would read it. An update that ended early leaves some old values.
    private func check(_ item: Int) throws {
        let value = try peer.value(forKey: TypedKey.key(item), as: TypedValue.kind(of: item))
        let isRight =
            value == TypedValue(item: item, generation: generation)
            || (peer.secondsMax < .infinity && value == TypedValue(item: item, generation: 0))
        guard isRight else { throw BenchError.wrong("item \(item)") }
    }

    private func verify() throws {
        for item in stride(from: 0, to: filled, by: max(1, filled / 1000)) { try check(item) }
    }

    private func reopen(_ workload: Workload) throws {
        guard peer.hasOpening else { return }
        try settle()
        var times: [Double] = []
        for _ in 0..<TypedBench.openings {
            try close()
            let began = Clock.now
            try open()
            times.append(Clock.seconds(since: began))
        }
        var row = row(workload, operations: 1, seconds: times.median)
        row.milliseconds = times.median * 1e3
        row.peakResidentBytes = Resources.peakResidentBytes
        row.note = "median of \(times.count), longest \(Format.seconds(times.max() ?? 0))"
        try verify()
        try emit(row)
    }

    /// Makes a row with the sizes of a key and of an average value, because the sizes of typed entries differ.
    override func row(_ workload: Workload, operations: Int, seconds: Double) -> ResultRow {
        var row = super.row(workload, operations: operations, seconds: seconds)
        row.keyBytes = TypedKey.byteCount
        row.valueBytes = 10
        return row
    }
}
