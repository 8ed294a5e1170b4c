/// A value that one thread gives to another and does not use itself any more.
struct Handover<Value>: @unchecked Sendable {
    let value: Value
}

extension Workbench {
    /// What the process had used when a workload began.
    struct Start {
        let cpuSeconds = Resources.cpuSeconds
        let bytesWritten = Resources.bytesWritten
    }

    /// The positions of thread `index` of `threads`, out of `count`.
    static func share(_ index: Int, of threads: Int, _ count: Int) -> Range<Int> {
        count * index / threads..<count * (index + 1) / threads
    }

    func row(_ workload: Workload, operations: Int, seconds: Double) -> ResultRow {
        var row = ResultRow(
            peer: assignment.peer.rawValue, workload: workload.rawValue, entries: entries, operations: operations,
            seconds: seconds)
        row.run = assignment.run
        row.variant = assignment.settings.variant.rawValue
        row.keyBytes = keyBytes
        row.valueBytes = assignment.settings.valueBytes
        row.memoryBudgetBytes = peer.memoryBudgetBytes
        row.after = contents.after
        return row
    }

    /// Runs `body` on the step's threads, each with a session of its own, and measures what it took. `body` gets the
    /// thread's index, its session, and the moment at which the run began.
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

    /// Waits for the background and adds what it took and left to `row`, of which `entries` entries were written.
    func settle(_ row: inout ResultRow, since start: Start, written entries: Int) throws {
        row.diskBytes = try DiskUsage.bytes(of: assignment.directory)
        let seconds = try settle()
        row.settleSeconds = seconds
        row.settledPerSecond = Double(row.operations) / (row.seconds + seconds)
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.userBytes = entries * entryBytes
        if let now = Resources.bytesWritten, let then = start.bytesWritten, entries > 0 {
            row.bytesWritten = now - then
            row.writeAmplification = Double(now - then) / Double(entries * entryBytes)
        }
        let disk = try DiskUsage.bytes(of: assignment.directory)
        row.settledDiskBytes = disk
        if contents.count > 0 { row.spaceAmplification = Double(disk) / Double(contents.count * entryBytes) }
    }

    /// Makes everything durable and waits until the background has nothing left to do: the peer says so, and hardly any
    /// processor time was used and nothing written for 200 ms. Those are not counted. Returns seconds.
    @discardableResult
    func settle() throws -> Double {
        let began = Clock.now
        try peer.flush()
        var (lastChange, cpuThen, writtenThen) = (Clock.now, Resources.cpuSeconds, Resources.bytesWritten)
        while Clock.seconds(since: lastChange) < 0.2 {
            Clock.sleep(milliseconds: 10)
            let (cpu, written) = (Resources.cpuSeconds, Resources.bytesWritten)
            if peer.isBusy || cpu - cpuThen > 0.02 || written != writtenThen {
                (lastChange, cpuThen, writtenThen) = (Clock.now, cpu, written)
            }
        }
        return Double(lastChange - began) / 1e9
    }

    /// Scans everything: exactly the items of `contents` are there, and a sample of the values is right.
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
