public import ShaleBase
import ShaleManifest
import ShalePlatform

/// The statistics that a process publishes about the store that it has open for writing. Totals are since the opening.
public struct RunningStatistics: Sendable, Hashable {
    private let values: [String: Int64]

    init(_ file: StatisticsFile) {
        values = Dictionary(file.values.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Returns a value by its name in the file; `nil` if the process's version does not publish it.
    public subscript(name: String) -> UInt64? { values[name].flatMap { UInt64(exactly: $0) } }

    private func value(_ name: String) -> UInt64 { self[name] ?? 0 }

    /// The process's id in its own process namespace.
    public var processID: UInt64 { value("pid") }
    /// The time of the opening, in milliseconds since 1970.
    public var openedMilliseconds: Int64 { values["openedAt"] ?? 0 }
    /// The time of the last published change, in milliseconds since 1970.
    public var atMilliseconds: Int64 { values["at"] ?? 0 }
    public var operations: UInt64 { value("operations") }
    public var memoryBudget: UInt64 { value("memoryBudget") }
    public var memtableBytes: UInt64 { value("memtableBytes") }
    public var tableBytes: UInt64 { value("tableBytes") }
    /// The bytes in the cache.
    public var cacheBytes: UInt64 { value("cacheBytes") }
    /// The current limit of the cache in bytes.
    public var cacheCapacityBytes: UInt64 { value("cacheCapacityBytes") }
    /// The number of block lookups that hit the cache.
    public var cacheHits: UInt64 { value("cacheHits") }
    /// The number of block lookups that missed the cache.
    public var cacheMisses: UInt64 { value("cacheMisses") }
    /// The number of live snapshots, which keep old versions on disk.
    public var snapshots: UInt64 { value("snapshots") }
    /// The time at which the oldest snapshot began, in milliseconds since 1970; `nil` without one.
    public var oldestSnapshotMilliseconds: Int64? { values["oldestSnapshotAt"] }
    /// The stored bytes that compactions have to move until no level exceeds its target; `nil` if the process's version
    /// does not publish the number.
    public var compactionDebtBytes: UInt64? { self["compactionDebtBytes"] }
    /// The pressure on writers in percent, from 0 (none) to 100 (they wait).
    public var pressurePercent: UInt64 { value("pressurePercent") }
    public var isPoisoned: Bool { value("poisoned") != 0 }
    /// True if the store waits for disk space.
    public var isOutOfSpace: Bool { value("outOfSpace") != 0 }

    /// A lower bound on the duration of the oldest running read call.
    ///
    /// Retired memory stays allocated until the call ends.
    public var oldestPinAge: Duration { .seconds(value("oldestPinSeconds")) }
    /// The memory that was replaced and is not freed yet.
    public var retiredBytes: UInt64 { value("retiredBytes") }
    /// True if the store does not accept the wall clock's reading yet, and removes nothing by it.
    public var isClockDoubted: Bool { value("clockDoubted") != 0 }

    /// The number of bytes written to files for each byte that callers wrote; `nil` before the first write.
    public var writeAmplification: Double? {
        let written = value("logBytes") + value("flushedBytes") + value("compactionWrittenBytes")
        return value("userBytes") == 0 ? nil : Double(written) / Double(value("userBytes"))
    }

    /// Returns the share of lookups that hit the cache since `earlier`, or since the opening; `nil` without lookups.
    public func cacheHitRate(since earlier: RunningStatistics? = nil) -> Double? {
        let hits = cacheHits &- (earlier?.cacheHits ?? 0)
        let misses = cacheMisses &- (earlier?.cacheMisses ?? 0)
        return hits &+ misses == 0 ? nil : Double(hits) / Double(hits &+ misses)
    }
}

extension StoreInspector {
    /// Returns the statistics of the process that has the store open for writing. Does not disturb that process.
    ///
    /// - Returns: `nil` if there is no such process or it has published nothing. That is the case up to the first
    ///   interval after opening, on a full disk, and if `EngineOptions.statisticsInterval` is `nil`.
    public func runningStatistics() throws(StorageError) -> RunningStatistics? {
        do throws(IOFailure) {
            guard try PosixFileLock.isHeld(FileName.join(root.path, StoreLayout.statistics)) else { return nil }
            // Retried, because the file may be written while it is read.
            for _ in 0..<8 {
                let file = try root.open(StoreLayout.statistics)
                defer { file.close() }
                let buffer = OwnedBytes(count: StatisticsFile.bytesMax)
                defer { withExtendedLifetime(buffer) {} }
                let count = try file.read(into: buffer.mutable, at: 0)
                if let found = StatisticsFile(buffer.bytes.slice(0, count).array()) { return RunningStatistics(found) }
            }
            return nil
        } catch {
            if error.isMissing { return nil }
            throw error.storageError
        }
    }
}
