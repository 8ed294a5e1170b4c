public import ShaleBase
import ShaleManifest
import ShalePlatform

/// What the process that has a store open for writing says of it. Totals are since it was opened.
public struct RunningStatistics: Sendable, Hashable {
    private let values: [String: Int64]

    init(_ file: StatisticsFile) {
        values = Dictionary(file.values.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// By the name in the file; `nil` for what its version does not tell.
    public subscript(name: String) -> UInt64? { values[name].flatMap { UInt64(exactly: $0) } }

    private func value(_ name: String) -> UInt64 { self[name] ?? 0 }

    /// In its own name space of processes.
    public var processID: UInt64 { value("pid") }
    /// When the store was opened, and when this was said: the last time that something of it changed. Milliseconds since 1970.
    public var openedMilliseconds: Int64 { values["openedAt"] ?? 0 }
    public var atMilliseconds: Int64 { values["at"] ?? 0 }
    public var operations: UInt64 { value("operations") }
    public var memoryBudget: UInt64 { value("memoryBudget") }
    public var memtableBytes: UInt64 { value("memtableBytes") }
    public var tableBytes: UInt64 { value("tableBytes") }
    /// What the cache holds, and what it may hold.
    public var cacheBytes: UInt64 { value("cacheBytes") }
    public var cacheCapacityBytes: UInt64 { value("cacheCapacityBytes") }
    /// Lookups of blocks that found them there, and that did not.
    public var cacheHits: UInt64 { value("cacheHits") }
    public var cacheMisses: UInt64 { value("cacheMisses") }
    /// Live snapshots, which keep old versions on disk, and when the oldest of them began; `nil` without one.
    public var snapshots: UInt64 { value("snapshots") }
    public var oldestSnapshotMilliseconds: Int64? { values["oldestSnapshotAt"] }
    /// 0 = writers run freely … 100 = they wait.
    public var pressurePercent: UInt64 { value("pressurePercent") }
    public var isPoisoned: Bool { value("poisoned") != 0 }
    /// True if the store waits for disk space.
    public var isOutOfSpace: Bool { value("outOfSpace") != 0 }

    /// For how long at least the oldest call that is not over has been in the middle of reading; what is retired meanwhile
    /// stays.
    public var oldestPinSeconds: UInt64 { value("oldestPinSeconds") }
    /// Memory that was replaced and not freed yet.
    public var retiredBytes: UInt64 { value("retiredBytes") }
    /// Whether the wall clock reads what the store does not believe yet, so that nothing is removed by it.
    public var isClockDoubted: Bool { value("clockDoubted") != 0 }

    /// Bytes written to files for each byte that callers wrote; `nil` while none was.
    public var writeAmplification: Double? {
        let written = value("logBytes") + value("flushedBytes") + value("compactionWrittenBytes")
        return value("userBytes") == 0 ? nil : Double(written) / Double(value("userBytes"))
    }

    /// Hits for each lookup since `earlier`, or since the store was opened; `nil` without lookups.
    public func cacheHitRate(since earlier: RunningStatistics? = nil) -> Double? {
        let hits = cacheHits &- (earlier?.cacheHits ?? 0)
        let misses = cacheMisses &- (earlier?.cacheMisses ?? 0)
        return hits &+ misses == 0 ? nil : Double(hits) / Double(hits &+ misses)
    }
}

extension StoreInspector {
    /// What the process that has the store open for writing says of it; `nil` when there is none, or it says nothing: less
    /// than a second after opening, on a full disk, or because it was told to (`EngineOptions.statisticsInterval`).
    /// Disturbs nobody.
    public func runningStatistics() throws(StorageError) -> RunningStatistics? {
        do throws(IOFailure) {
            guard try PosixFileLock.isHeld(FileName.join(root.path, StoreLayout.statistics)) else { return nil }
            // It may be written while it is read.
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
