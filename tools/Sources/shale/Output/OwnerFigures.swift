import Shale
import ShaleInspection

/// The figures that the process which has a store open publishes.
struct OwnerFigures: Encodable {
    /// The process id in its own PID namespace.
    let processID: UInt64
    let openedAt: String
    /// The time of the last change.
    let at: String
    let operations: UInt64
    /// The ratio of bytes written to files to bytes written by callers since opening; `nil` if none were written.
    let writeAmplification: Double?
    let memoryBudget: UInt64
    let memtableBytes: UInt64
    let tableBytes: UInt64
    let snapshots: UInt64
    /// The time of the oldest snapshot. Entries that were visible then are kept.
    let oldestSnapshotAt: String?
    /// The pressure on writers: 0 = they run freely … 100 = they wait.
    let pressurePercent: UInt64
    let isPoisoned: Bool
    /// The duration for which a thread has been in the middle of a read; `nil` below 10 s.
    let oldestPinSeconds: UInt64?
    /// `true` while nothing is removed by the wall clock, otherwise `nil`.
    let isClockDoubted: Bool?

    init(_ running: RunningStatistics) {
        processID = running.processID
        openedAt = timestamp(milliseconds: running.openedMilliseconds)
        at = timestamp(milliseconds: running.atMilliseconds)
        operations = running.operations
        writeAmplification = running.writeAmplification.map(OwnerFigures.rounded)
        memoryBudget = running.memoryBudget
        memtableBytes = running.memtableBytes
        tableBytes = running.tableBytes
        snapshots = running.snapshots
        oldestSnapshotAt = running.oldestSnapshotMilliseconds.map { timestamp(milliseconds: $0) }
        pressurePercent = running.pressurePercent
        isPoisoned = running.isPoisoned
        oldestPinSeconds = running.oldestPinSeconds >= 10 ? running.oldestPinSeconds : nil
        isClockDoubted = running.isClockDoubted ? true : nil
    }

    static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    var text: Shown {
        var text: Shown = "open in process \(processID) since \(openedAt): memtables \(Figures.bytes(memtableBytes))"
        if let writeAmplification { text += ", written \(Figures.decimal(writeAmplification, 2)) ×" }
        if let oldestSnapshotAt {
            text += ", \(Figures.count(snapshots, "snapshot")), the oldest from \(oldestSnapshotAt)"
        }
        if pressurePercent > 0 { text += ", writers are slowed (\(pressurePercent) %)" }
        if let oldestPinSeconds { text += ", a reader has been delayed for \(oldestPinSeconds) s" }
        if isClockDoubted == true { text += ", the clock is in doubt" }
        return text + (isPoisoned ? "; poisoned: reopen the store" : "")
    }
}
