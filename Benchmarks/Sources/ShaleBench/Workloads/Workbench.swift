import Posix

/// The known content of a store: items 0 ..< count, each under a key of its own.
struct Contents: Sendable {
    var count = 0
    /// Every item's value is of one of these generations.
    var generations: ClosedRange<UInt64> = 0...0
    /// Maps items to keys; without it, the key is the item's number.
    var keys: Permutation?
    /// The last step of the store.
    var after = ""

    @inline(__always)
    func key(_ item: Int) -> Int { keys.map { $0[item] } ?? item }
}

/// The workloads on bytes, in extensions; they run one after the other.
final class Workbench: Bench {
    let values: ValuePool
    let peer: any Peer

    var contents = Contents() {
        didSet { isWarm = false }
    }
    private var isWarm = false

    override var after: String { contents.after }

    init(_ assignment: Assignment, _ peer: any Peer, report: @escaping (ResultRow) throws -> Void) {
        self.peer = peer
        values = ValuePool(valueBytes: assignment.settings.valueBytes, seed: assignment.seed)
        super.init(assignment, peer, report: report)
    }

    var entries: Int { assignment.entries }
    var seed: UInt64 { assignment.seed }
    var keyBytes: Int { assignment.settings.keyBytes }
    var entryBytes: Int { assignment.settings.entryBytes }
    var liveBytes: Int { contents.count * entryBytes }

    func run() throws {
        for step in assignment.steps {
            try begin(step.workload.beginning)
            try run(step)
        }
        try close()
    }

    private func begin(_ beginning: Workload.Beginning) throws {
        switch beginning {
        case .empty: try reset()
        case .filled: try requireEntries(spread: false)
        case .spread: try requireEntries(spread: true)
        case .own, .typed, .records: try close()
        }
    }

    /// Replaces the store by an empty one at the same path.
    func reset() throws {
        try remove()
        contents = Contents()
        try open()
    }

    /// Fills the store in random order if it is empty, without a row. If `spread`, keys are taken from a range a
    /// quarter larger, so that other keys fit between them.
    private func requireEntries(spread: Bool) throws {
        try open()
        guard contents.count == 0 else { return }
        try reset()
        let keys = Permutation(count: spread ? entries + entries / 4 : entries, seed: seed)
        let session = try peer.session(isSynced: false)
        var key = KeyBuffer(byteCount: keyBytes)
        for item in 0..<entries {
            key.set(keys[item])
            try session.put(values.value(keys[item], 0), forKey: key.span)
        }
        contents = Contents(count: entries, keys: spread ? keys : nil, after: "fill")
        try settle()
    }

    /// Closes the store, drops what the kernel caches of it, and opens it again.
    func cool() throws {
        try settle()
        try close()
        sync()
        try PageCache.evict(assignment.directory)
        try open()
        isWarm = false
    }

    /// Fills the caches once for each state of the store, by reading a key of every KiB. If the order is known, reads
    /// in order, so that every block is read; otherwise reads twice as many keys at random.
    func warm() throws {
        guard !isWarm else { return }
        let stride = max(1, 1024 / entryBytes)
        let session = try peer.session(isSynced: false)
        var key = KeyBuffer(byteCount: keyBytes)
        for position in 0..<contents.count / stride * (contents.keys == nil ? 1 : 2) {
            let item = contents.keys == nil ? position * stride : pick(UInt64(position), below: contents.count)
            key.set(contents.key(item))
            guard try session.get(key.span, { _ in }) else { throw BenchError.wrong("item \(item) is missing") }
        }
        isWarm = true
    }
}

extension Workbench {
    func run(_ step: Assignment.Step) throws {
        switch step.workload {
        case .fillseq: try fill(step, .ascending)
        case .fillrandom: try fill(step, .shuffled(Permutation(count: entries, seed: seed)))
        case .fillpaced: try fillPaced(step)
        case .fillbatch: try fillInBatches(step)
        case .fillsync: try fillSynced(step)
        case .overwrite: try overwrite(step)
        case .readrandom, .readmissing, .readhot: try readRandomly(step)
        case .multireadrandom: try readInGroups(step)
        case .seekrandom: try seekRandomly(step)
        case .readcold: try readCold(step)
        case .scancold: try scanCold(step)
        case .readseq: try scan(step, .forward)
        case .readreverse: try scan(step, .reversed)
        case .readwhilewriting: try readWhileWriting(step)
        case .ycsba, .ycsbb, .ycsbc, .ycsbd, .ycsbe, .ycsbf, .ycsbauniform, .ycsbbuniform, .ycsbcuniform,
            .ycsbduniform, .ycsbeuniform, .ycsbfuniform:
            try runYCSB(step)
        case .deleterandom: try deleteRandomly(step)
        case .compact: try compact(step)
        case .reopen: try reopen(step)
        case .crashreopen: try reopenAfterCrash(step)
        case .purge: try purge(step)
        case .drop: try drop(step)
        case .verify: try verifyOffline(step)
        case .dump: try dumpOffline(step)
        case .load: try loadOffline(step)
        case .recordinsert, .recordbatch, .recordfind, .recordrange, .recordmodify, .recordcount, .recordopen,
            .recordindex, .typedset, .typedupdate, .typedget, .typedopen, .namespaces, .typedcalls, .jsoncalls,
            .observers,
            .dictionaries:
            throw BenchError("\(step.workload) has a store of its own")
        }
    }
}

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
