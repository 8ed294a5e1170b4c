import Histogram
import ShaleEngine

/// One run of the harness: the store, the sizes, and where results go. Workloads are in extensions.
final class Bench {
    let entries: Int
    let threads: Int
    let store: BenchStore
    let rooflines: Rooflines
    let report: Report

    /// Where the machine's own write rate was measured, around every fill.
    private(set) var writeRates: [Double]

    init(entries: Int, threads: Int, store: BenchStore, rooflines: Rooflines, report: Report) {
        self.entries = entries
        self.threads = threads
        self.store = store
        self.rooflines = rooflines
        self.report = report
        writeRates = rooflines.writeRates
    }

    var settings: StoreSettings { store.settings }
    var cacheBytes: Int { settings.cacheMib << 20 }

    /// Random reads of a workload: no more than give a steady figure.
    var reads: Int { min(entries, 2_000_000) }

    /// The positions of thread `index` of `threads`, out of `count`.
    static func share(_ index: Int, of threads: Int, _ count: Int) -> Range<Int> {
        count * index / threads..<count * (index + 1) / threads
    }

    /// Runs `body` on its threads and sums up what they and the engine did. `body` gets the thread's index and the
    /// moment at which the run began.
    func measure(
        _ workload: String, threads: Int, operations: Int, on target: Target,
        _ body: @escaping @Sendable (Int, UInt64) throws -> LatencyRecorder
    ) throws -> Row {
        Resources.resetPeak()
        let before = target.engine.statistics
        let cpuBefore = Resources.cpuSeconds
        let began = Clock.now
        let recorders = try Threads.run(threads) { try body($0, began) }
        let seconds = Clock.seconds(since: began)
        var row = Row(
            workload: workload, entries: entries, threads: threads, operations: operations, seconds: seconds)
        row.cpuSeconds = Resources.cpuSeconds - cpuBefore
        row.peakResidentBytes = Resources.peakResidentBytes
        row.describe(recorders)
        let spent = target.engine.statistics - before
        if spent.operations > 0 { row.stalls = Row.Stalls(spent.stalls) }
        return row
    }

    /// Runs `body` as the only step of a workload, on the caller's thread.
    func measureStep(_ workload: String, operations: Int, _ body: () throws -> Void) throws -> Row {
        Resources.resetPeak()
        let cpuBefore = Resources.cpuSeconds
        let began = Clock.now
        try body()
        var row = Row(
            workload: workload, entries: entries, threads: 1, operations: operations,
            seconds: Clock.seconds(since: began))
        row.cpuSeconds = Resources.cpuSeconds - cpuBefore
        row.peakResidentBytes = Resources.peakResidentBytes
        return row
    }

    /// Waits for the background and adds what it took and left to `row`. `before` is from the start of the workload.
    func settle(_ row: inout Row, since before: EngineStatistics) throws {
        row.diskBytes = try store.diskBytes()
        let settlement = try store.settle()
        row.settled = Row.Settled(
            seconds: settlement.seconds, cpuSeconds: settlement.cpuSeconds, diskBytes: try store.diskBytes(),
            segmentBytes: Int(try store.target.engine.statistics.storedBytes))
        row.peakResidentBytes = Resources.peakResidentBytes
        let target = try store.target
        let written = target.engine.statistics - before
        if written.userBytes > 0 { row.bytesWrittenPerUserByte = written.writeAmplification }
        row.tree = target.treeDescription
    }

    /// Entries per second that `write(2)` takes, measured again close to a workload: the machine's speed changes over
    /// time.
    func measureWrites(_ commitEntries: Int = 1) throws -> [Double] {
        let rates = try rooflines.write(entries: commitEntries).measure(passes: 3)
        if commitEntries == 1 { writeRates += rates }
        return rates.map { $0 * Double(commitEntries) }
    }

    /// Fills the store as `fillrandom` does, without a row, if it is empty.
    func requireEntries() throws {
        guard store.contents.count == 0 else { return }
        try store.reset()
        let target = try store.target
        let order = FillOrder.shuffled(Permutation(count: entries, seed: settings.seed))
        _ = try target.put(0..<entries, in: order, generation: 0, began: Clock.now)
        store.contents = BenchStore.Contents(count: entries)
        try store.settle()
    }
}

extension Row {
    mutating func describe(_ recorders: [LatencyRecorder]) {
        guard var histogram = recorders.first?.histogram, var timeline = recorders.first?.timeline else { return }
        for recorder in recorders.dropFirst() {
            histogram.add(recorder.histogram)
            timeline.merge(recorder.timeline)
        }
        latencyMicroseconds = Latency(histogram)
        course = Course(timeline)
    }
}
