import Formatting
import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The common part of running an assignment in a child process: the store, and how rows are made. Subclasses implement
/// the workloads.
class Bench {
    let assignment: Assignment
    private let store: any PeerStore
    private let report: (ResultRow) throws -> Void
    private var isOpen = false

    /// The last step of the store.
    var after: String { "" }

    /// Makes a bench that passes each complete row to `report`.
    init(_ assignment: Assignment, _ store: any PeerStore, report: @escaping (ResultRow) throws -> Void) {
        self.assignment = assignment
        self.store = store
        self.report = report
    }

    func emit(_ row: ResultRow) throws { try report(row) }

    func open() throws {
        guard !isOpen else { return }
        try store.open()
        isOpen = true
    }

    func close() throws {
        guard isOpen else { return }
        isOpen = false
        try store.close()
    }

    /// Closes the store and removes everything.
    func remove() throws {
        try close()
        let path = assignment.directory
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// The resources that the process had used when a workload began.
    struct Start {
        let cpuSeconds = Resources.cpuSeconds
        let bytesWritten = Resources.bytesWritten
    }

    func row(_ workload: Workload, operations: Int, seconds: Double) -> ResultRow {
        var row = ResultRow(
            peer: assignment.peer.rawValue, workload: workload.rawValue, entries: assignment.entries,
            operations: operations,
            seconds: seconds)
        row.run = assignment.run
        row.variant = assignment.settings.variant.rawValue
        row.handicap = assignment.peer.handicap
        row.keyBytes = assignment.settings.keyBytes
        row.valueBytes = assignment.settings.valueBytes
        row.memoryBudgetBytes = store.memoryBudgetBytes
        row.memoryLimitBytes = assignment.memoryLimitBytes
        row.after = after
        return row
    }

    /// Waits for background work and adds its cost and result to `row`.
    ///
    /// - Parameters:
    ///   - userBytes: The bytes of keys and values that the workload wrote.
    ///   - liveBytes: The bytes of keys and values in the store.
    func settle(_ row: inout ResultRow, since start: Start, userBytes: Int, liveBytes: Int) throws {
        row.diskBytes = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        let seconds = try settle()
        row.settleSeconds = seconds
        row.settledPerSecond = Double(row.operations) / (row.seconds + seconds)
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.add(bytesWrittenSince: start.bytesWritten, userBytes: userBytes)
        let disk = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
        row.settledDiskBytes = disk
        if liveBytes > 0 { row.spaceAmplification = Double(disk) / Double(liveBytes) }
    }

    /// Makes everything durable and waits until no background work is left.
    ///
    /// That is the case once, for 200 ms, the peer is not busy, hardly any processor time was used, nothing was written
    /// and no file was deleted. (Deleting takes no processor time, but disk space until it is done, and syncs wait for
    /// it.) Returns the seconds without these 200 ms.
    @discardableResult
    func settle() throws -> Double {
        let began = Clock.now
        try store.flush()
        var lastChange = Clock.now
        var then = Activity()
        // `nil` after a change: an earlier disk size tells nothing about what happens since.
        var diskBytes: Int?
        var looks = 0
        while Clock.seconds(since: lastChange) < 0.2 {
            Clock.sleep(milliseconds: 10)
            looks += 1
            if store.isBusy || Activity().isWork(since: then) {
                (lastChange, then, diskBytes) = (Clock.now, Activity(), nil)
            } else if looks.isMultiple(of: 5) {
                let before = Resources.cpuSeconds
                let bytes = Int(try DirectorySize(of: assignment.directory).allocatedBytes)
                if let diskBytes, bytes != diskBytes { lastChange = Clock.now }
                diskBytes = bytes
                // A walk over thousands of files takes processor time, which does not count as the peer's.
                then.cpuSeconds += Resources.cpuSeconds - before
            }
        }
        return Double(lastChange - began) / 1e9
    }

    /// The signs of a working peer.
    private struct Activity {
        var cpuSeconds = Resources.cpuSeconds
        let bytesWritten = Resources.bytesWritten

        func isWork(since then: Activity) -> Bool {
            cpuSeconds - then.cpuSeconds > 0.02 || bytesWritten != then.bytesWritten
        }
    }

    /// Runs `body` for each position below `count`, at most for `secondsMax` seconds. Returns the number of positions
    /// done.
    func measureOperations(
        _ workload: Workload, _ count: Int, secondsMax: Double = .infinity, _ body: (Int) throws -> Void,
        settling: (inout ResultRow, Start, Int) throws -> Void = { _, _, _ in }
    ) throws -> (row: ResultRow, done: Int) {
        Resources.resetPeak()
        let start = Start()
        let began = Clock.now
        var recorder = LatencyRecorder(began: began)
        var done = 0
        while done < count {
            try body(done)
            recorder.finish()
            done += 1
            if Double(recorder.last - began) > secondsMax * 1e9 { break }
        }
        var row = row(workload, operations: done, seconds: Clock.seconds(since: began))
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.latency = ResultLatency([recorder])
        row.timeline = ResultTimeline([recorder])
        if done < count { row.note = "ended after \(Format.fixed(secondsMax, 0)) s with \(done) operations" }
        try settling(&row, start, done)
        return (row, done)
    }

    /// Runs `body` as the only operation of a workload, on the caller's thread.
    func measureStep(_ workload: Workload, _ body: () throws -> Void) throws -> (row: ResultRow, start: Start) {
        Resources.resetPeak()
        let start = Start()
        let began = Clock.now
        try body()
        var row = row(workload, operations: 1, seconds: Clock.seconds(since: began))
        row.milliseconds = row.seconds * 1e3
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        return (row, start)
    }
}

extension ResultRow {
    /// Adds the bytes that the process caused the kernel to write since `start`, for `userBytes` of keys and values.
    mutating func add(bytesWrittenSince start: Int?, userBytes: Int) {
        self.userBytes = userBytes
        guard let start, let now = Resources.bytesWritten, userBytes > 0 else { return }
        bytesWritten = now - start
        writeAmplification = Double(now - start) / Double(userBytes)
    }
}
