#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a child process works off its assignment: the store, and how its rows come about. What is done is the
/// subclasses' business.
class Bench {
    let assignment: Assignment
    private let store: any PeerStore
    private let report: (ResultRow) throws -> Void
    private var isOpen = false

    /// What the store went through last.
    var after: String { "" }

    /// `report` gets each row when it is complete.
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

    /// Closes, and removes everything.
    func remove() throws {
        try close()
        let path = assignment.directory
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// What the process had used when a workload began.
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
        row.keyBytes = assignment.settings.keyBytes
        row.valueBytes = assignment.settings.valueBytes
        row.memoryBudgetBytes = store.memoryBudgetBytes
        row.after = after
        return row
    }

    /// Waits for the background and adds what it took and left to `row`.
    ///
    /// `userBytes` are those of keys and values that the workload wrote, `liveBytes` those that are in the store.
    func settle(_ row: inout ResultRow, since start: Start, userBytes: Int, liveBytes: Int) throws {
        row.diskBytes = try DiskUsage.bytes(of: assignment.directory)
        let seconds = try settle()
        row.settleSeconds = seconds
        row.settledPerSecond = Double(row.operations) / (row.seconds + seconds)
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.add(bytesWrittenSince: start.bytesWritten, userBytes: userBytes)
        let disk = try DiskUsage.bytes(of: assignment.directory)
        row.settledDiskBytes = disk
        if liveBytes > 0 { row.spaceAmplification = Double(disk) / Double(liveBytes) }
    }

    /// Makes everything durable and waits until the background has nothing left to do: the peer says so, and hardly any
    /// processor time was used, nothing written and no file deleted for 200 ms. (Deleting takes no processor time, but disk space
    /// until it is done, and whoever syncs waits for it.) Those are not counted. Returns seconds.
    @discardableResult
    func settle() throws -> Double {
        let began = Clock.now
        try store.flush()
        var lastChange = Clock.now
        var then = Activity()
        // nil after a change: what the disk had before says nothing of what happens since.
        var diskBytes: Int?
        var looks = 0
        while Clock.seconds(since: lastChange) < 0.2 {
            Clock.sleep(milliseconds: 10)
            looks += 1
            if store.isBusy || Activity().isWork(since: then) {
                (lastChange, then, diskBytes) = (Clock.now, Activity(), nil)
            } else if looks.isMultiple(of: 5) {
                let before = Resources.cpuSeconds
                let bytes = try DiskUsage.bytes(of: assignment.directory)
                if let diskBytes, bytes != diskBytes { lastChange = Clock.now }
                diskBytes = bytes
                // A walk over thousands of files takes processor time, which is not the peer's.
                then.cpuSeconds += Resources.cpuSeconds - before
            }
        }
        return Double(lastChange - began) / 1e9
    }

    /// What tells that a peer is at work.
    private struct Activity {
        var cpuSeconds = Resources.cpuSeconds
        let bytesWritten = Resources.bytesWritten

        func isWork(since then: Activity) -> Bool {
            cpuSeconds - then.cpuSeconds > 0.02 || bytesWritten != then.bytesWritten
        }
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
    /// What the process made the kernel write since it had made it write `start`, for `userBytes` of keys and values.
    mutating func add(bytesWrittenSince start: Int?, userBytes: Int) {
        self.userBytes = userBytes
        guard let start, let now = Resources.bytesWritten, userBytes > 0 else { return }
        bytesWritten = now - start
        writeAmplification = Double(now - start) / Double(userBytes)
    }
}
