/// A value that one thread passes to another and no longer uses itself.
struct Handover<Value>: @unchecked Sendable {
    let value: Value
}

extension Workbench {
    /// Returns the positions of thread `index` of `threads`, out of `count`.
    static func share(_ index: Int, of threads: Int, _ count: Int) -> Range<Int> {
        count * index / threads..<count * (index + 1) / threads
    }

    /// Runs `body` on the step's threads, each with a separate session, and measures the cost. `body` gets the thread's
    /// index, its session, and the time at which the run began.
    func measure(
        _ step: Assignment.Step, operations: Int, isSynced: Bool = false, threads: Int? = nil,
        _ body: @escaping @Sendable (Int, any PeerSession, UInt64) throws -> LatencyRecorder
    ) throws -> (row: ResultRow, recorders: [LatencyRecorder], start: Start) {
        let threads = threads ?? step.threads
        let sessions = try (0..<threads).map { _ in Handover(value: try peer.session(isSynced: isSynced)) }
        Resources.resetPeak()
        let start = Start()
        let began = Clock.now
        let recorders = try Threads.run(threads) { try body($0, sessions[$0].value, began) }
        var row = row(step.workload, operations: operations, seconds: Clock.seconds(since: began))
        row.threads = step.threads
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.latency = ResultLatency(recorders)
        return (row, recorders, start)
    }

    /// Scans everything and checks that exactly the items of `contents` are there, and that a sample of the values is
    /// right.
    func verify() throws {
        let (contents, values) = (contents, values)
        var key = KeyBuffer(byteCount: keyBytes)
        var count = 0
        try peer.session(isSynced: false).scan(from: RawSpan(), .forward) { found, value in
            if count & 63 == 0, contents.keys == nil {
                key.set(count)
                guard key.equals(found) else { throw BenchError.wrong("entry \(count) has another key") }
                guard values.matches(value, count, contents.generations) else {
                    throw BenchError.wrong("entry \(count) has another value")
                }
            }
            count += 1
            return true
        }
        guard count == contents.count else { throw BenchError.wrong("\(count) entries instead of \(contents.count)") }
    }
}
