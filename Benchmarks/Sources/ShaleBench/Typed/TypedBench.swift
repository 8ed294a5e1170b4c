/// The job of an app's settings: small typed values, one at a time.
final class TypedBench: Bench {
    private let peer: any TypedPeer
    private var generation: UInt64 = 0
    private var isFilled = false
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
                try remove()
                try open()
                generation = 0
                try set(step.workload, .ascending)
            case .typedupdate:
                try requireEntries()
                generation += 1
                try set(step.workload, .shuffled(Permutation(count: entries, seed: assignment.seed)))
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
        guard !isFilled else { return }
        try remove()
        try open()
        try putRest(from: 0, .ascending)
        isFilled = true
    }

    private func putRest(from position: Int, _ order: FillOrder) throws {
        for position in position..<entries {
            let item = order[position]
            try peer.setLazily(TypedValue(item: item, generation: generation), forKey: TypedKey.key(item))
        }
        try settle()
    }

    private func set(_ workload: Workload, _ order: FillOrder) throws {
        var userBytes = 0
        let (row, done) = try measure(workload, entries) { position in
            let item = order[position]
            let value = TypedValue(item: item, generation: generation)
            userBytes += TypedKey.byteCount + value.byteCount
            try peer.set(value, forKey: TypedKey.key(item))
        } settling: { row, start in
            let live = (0..<entries).reduce(0) {
                $0 + TypedKey.byteCount + TypedValue(item: $1, generation: generation).byteCount
            }
            try settle(&row, since: start, userBytes: userBytes, liveBytes: live)
        }
        try putRest(from: done, order)
        isFilled = true
        try verify()
        try emit(row)
    }

    private func get(_ workload: Workload) throws {
        let count = min(entries, assignment.operationsMax)
        let (row, _) = try measure(workload, count) { position in
            try check(pick(assignment.seed &+ UInt64(position), below: entries))
        }
        try emit(row)
    }

    /// Every value is compared: it is what the caller would look at.
    private func check(_ item: Int) throws {
        let value = try peer.value(forKey: TypedKey.key(item), as: TypedValue.kind(of: item))
        guard value == TypedValue(item: item, generation: generation) else { throw BenchError.wrong("item \(item)") }
    }

    private func verify() throws {
        for item in stride(from: 0, to: entries, by: max(1, entries / 1000)) { try check(item) }
    }

    private func reopen(_ workload: Workload) throws {
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

    /// Runs `body` for each position below `count`, or until the peer's time is over. Returns how many it were.
    private func measure(
        _ workload: Workload, _ count: Int, _ body: (Int) throws -> Void,
        settling: (inout ResultRow, Start) throws -> Void = { _, _ in }
    ) throws -> (row: ResultRow, done: Int) {
        Resources.resetPeak()
        let start = Start()
        let began = Clock.now
        var recorder = LatencyRecorder(began: began)
        let limit = peer.secondsMax
        var done = 0
        while done < count {
            try body(done)
            recorder.finish()
            done += 1
            if Double(recorder.last - began) > limit * 1e9 { break }
        }
        var row = row(workload, operations: done, seconds: Clock.seconds(since: began))
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.latency = ResultLatency([recorder])
        row.timeline = ResultTimeline([recorder])
        if done < count { row.note = "ended after \(Format.fixed(limit, 0)) s" }
        try settling(&row, start)
        return (row, done)
    }

    /// Sizes of typed entries differ: a row's are those of a key and of an average value.
    override func row(_ workload: Workload, operations: Int, seconds: Double) -> ResultRow {
        var row = super.row(workload, operations: operations, seconds: seconds)
        row.keyBytes = TypedKey.byteCount
        row.valueBytes = 10
        return row
    }
}
