import Shale
import ShaleInspection

/// What the process that has a store open says of it.
struct OwnerFigures: Encodable {
    /// In its own name space of processes.
    let processID: UInt64
    let openedAt: String
    /// When something last changed.
    let at: String
    let operations: UInt64
    /// Bytes written to files for each byte written by callers, since opening; `nil` while none was.
    let writeAmplification: Double?
    let memoryBudget: UInt64
    let memtableBytes: UInt64
    let tableBytes: UInt64
    let snapshots: UInt64
    /// Of what is in the store, nothing that was visible then goes.
    let oldestSnapshotAt: String?
    /// 0 = writers run freely … 100 = they wait.
    let pressurePercent: UInt64
    let isPoisoned: Bool
    /// For how long a thread has been in the middle of reading; `nil` below 10 s.
    let oldestPinSeconds: UInt64?
    /// `true` while nothing is removed by what the wall clock reads, otherwise `nil`.
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
            text += ", \(Figures.count(snapshots, "snapshot")), the oldest of \(oldestSnapshotAt)"
        }
        if pressurePercent > 0 { text += ", writers are slowed (\(pressurePercent) %)" }
        if let oldestPinSeconds { text += ", a reader is held up for \(oldestPinSeconds) s" }
        if isClockDoubted == true { text += ", the clock is in doubt" }
        return text + (isPoisoned ? "; poisoned: it has to be opened again" : "")
    }
}
