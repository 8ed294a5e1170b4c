import Shale
import ShaleEngine
import ShaleInspection

/// The amplification that a tree's shape implies, calculated from metadata alone.
struct Amplification: Encodable {
    /// The number of sorted runs that a read without filters would examine: segments of L0 and filled levels below.
    let readRuns: Int
    /// The ratio of the raw bytes of all levels to those of the lowest one, which holds one version of each key. 1 if
    /// nothing is stored twice. `nil` if there is no level below L0, because segments of L0 may overlap.
    let space: Double?
    /// The minimum number of bytes written for each stored byte: once to the log, once by the flush, once for each
    /// level down to its own. Files don't show bytes that were rewritten within a level or deleted since.
    let writeAtLeast: Double
    /// The ratio of raw to stored bytes.
    let compression: Double

    init(_ levels: [LevelStatistics]) {
        let filled = levels.filter { $0.segments > 0 }
        let raw = filled.reduce(0) { $0 + Double($1.rawBytes) }
        let stored = filled.reduce(0) { $0 + Double($1.storedBytes) }
        readRuns = filled.reduce(0) { $0 + ($1.level == 0 ? $1.segments : 1) }
        space = filled.last.flatMap { $0.level > 0 ? Self.ratio(raw, Double($0.rawBytes)) : nil }
        compression = Self.ratio(raw, stored)
        var written = 0.0
        var below = 0.0
        for level in filled {
            if level.level > 0 { below += 1 }
            written += Double(level.rawBytes) + Double(level.storedBytes) * (1 + below)
        }
        writeAtLeast = Self.ratio(written, raw)
    }

    /// Returns a ratio rounded to three decimals; 0 if the divisor is 0.
    private static func ratio(_ part: Double, _ whole: Double) -> Double {
        whole > 0 ? (part / whole * 1000).rounded() / 1000 : 0
    }

    var text: Shown {
        "reads look into \(Figures.count(readRuns, "run")); "
            + (space.map { "\(Figures.decimal($0, 2)) × the space of one version; " } ?? "")
            + "written at least \(Figures.decimal(writeAtLeast, 2)) ×; compressed \(Figures.decimal(compression, 2)) ×"
    }
}

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
    /// The stored bytes that compactions have to move until no level exceeds its target; `nil` if the process's version
    /// does not publish the number.
    let compactionDebtBytes: UInt64?
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
        compactionDebtBytes = running.compactionDebtBytes
        isPoisoned = running.isPoisoned
        oldestPinSeconds = running.oldestPinAge >= .seconds(10) ? UInt64(running.oldestPinAge.components.seconds) : nil
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

/// The block cache of the process that has a store open. A read-only process has its own cache and publishes no
/// figures.
struct CacheFigures: Encodable {
    let capacityBytes: UInt64
    let bytes: UInt64
    let hits: UInt64
    let misses: UInt64
    /// The fraction of lookups that hit; `nil` without lookups.
    let hitRate: Double?

    enum CodingKeys: String, CodingKey, CaseIterable { case capacityBytes, bytes, hits, misses, hitRate }

    init(_ running: RunningStatistics) {
        capacityBytes = running.cacheCapacityBytes
        bytes = running.cacheBytes
        hits = running.cacheHits
        misses = running.cacheMisses
        hitRate = running.cacheHitRate().map(OwnerFigures.rounded)
    }

    /// The text if no figures are published. A store may have been open for less than 1 s, or may not publish
    /// statistics.
    static let none: Shown = "cache: no running store publishes its statistics"

    var text: Shown {
        "cache \(Figures.bytes(bytes)) of \(Figures.bytes(capacityBytes))"
            + (hitRate.map { "; \(Figures.decimal($0 * 100)) % of \(Figures.count(hits + misses)) lookups hit" } ?? "")
    }
}
