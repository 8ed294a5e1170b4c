import ShaleBase
import ShaleManifest
import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes the engine's statistics to a file for tools in other processes. Used by the timer thread only.
///
/// Publishing is best effort: a failed write is retried the next time, and nothing waits for it. It also fails while a
/// tool checks if the lock is held.
struct StatisticsPublisher {
    private unowned let core: EngineCore
    private let interval: UInt64?
    private let opened: Int64
    private var lastCheck: UInt64
    private var lock: (any FileLock)?
    private var published = StatisticsFile()

    init(_ core: EngineCore) {
        self.core = core
        interval = core.options.statisticsInterval?.nanoseconds
        opened = core.clock.now
        lastCheck = core.clock.monotonicNanoseconds
    }

    mutating func publishIfDue() {
        let now = core.clock.monotonicNanoseconds
        guard let interval, now - lastCheck >= interval else { return }
        lastCheck = now
        var file = StatisticsFile(core.statistics())
        // The begin instead of the age, because the age changes with every call.
        if let oldest = core.snapshots.oldest { file.values.append(("oldestSnapshotAt", oldest.wallMilliseconds)) }
        guard file != published else { return }
        published = file
        file.values.insert(("pid", Int64(getpid())), at: 0)
        file.values.insert(("shaleStatistics", StatisticsFile.version), at: 1)
        file.values += [
            ("memoryBudget", Int64(core.options.memoryBudget)), ("openedAt", opened), ("at", core.clock.now),
        ]
        write(file.encoded())
    }

    private mutating func write(_ text: [UInt8]) {
        do throws(IOFailure) {
            let held: any FileLock
            if let lock { held = lock } else { held = try core.directories.root.lock(StoreLayout.statistics) }
            lock = held
            let bytes = OwnedBytes(text)
            defer { withExtendedLifetime(bytes) {} }
            try held.publish(bytes.bytes)
        } catch {
            published = StatisticsFile()
        }
    }

    /// Empties and releases the file when the store closes, so that no tool takes its content for the present.
    mutating func end() {
        if lock != nil { write([]) }
        lock?.release()
        lock = nil
    }
}

extension StatisticsFile {
    /// Stores the statistics under the names that tools show.
    init(_ statistics: Engine.Statistics) {
        self.init()
        let totals: [(String, UInt64)] = [
            ("batches", statistics.batches), ("operations", statistics.operations), ("userBytes", statistics.userBytes),
            ("syncs", statistics.syncs), ("logBytes", statistics.logBytes), ("flushes", statistics.flushes),
            ("flushedBytes", statistics.flushedBytes), ("compactions", statistics.compactions),
            ("compactionReadBytes", statistics.compactionReadBytes),
            ("compactionWrittenBytes", statistics.compactionWrittenBytes),
            ("compactionDebtBytes", statistics.compactionDebtBytes), ("cacheHits", statistics.cacheHits),
            ("cacheMisses", statistics.cacheMisses), ("backgroundFailures", statistics.backgroundFailures),
            ("delayedWrites", statistics.stalls.delayedWrites), ("stoppedWrites", statistics.stalls.stoppedWrites),
            ("lastSequence", statistics.lastSequence), ("heldBytes", statistics.heldBytes),
            ("readerBytes", statistics.readerBytes), ("revokedFiles", statistics.revokedFiles),
            ("longPins", statistics.longPins), ("clockCorrections", statistics.clockCorrections),
            ("oldestPinSeconds", UInt64(clamping: statistics.oldestPinAge.components.seconds)),
        ]
        let gauges: [(String, Int)] = [
            ("memtableBytes", statistics.memtableBytes), ("immutableMemtables", statistics.immutableMemtables),
            ("cacheBytes", statistics.cacheBytes), ("cacheCapacityBytes", statistics.cacheCapacityBytes),
            ("tableBytes", statistics.tableBytes), ("snapshots", statistics.snapshots),
            ("pressurePercent", Int(statistics.pressure * 100)), ("poisoned", statistics.isPoisoned ? 1 : 0),
            ("outOfSpace", statistics.isOutOfSpace ? 1 : 0), ("retiredBytes", statistics.retiredBytes),
            ("clockDoubted", statistics.clockDoubt == nil ? 0 : 1), ("heldStates", statistics.heldStates),
        ]
        values = totals.map { ($0, Int64(clamping: $1)) } + gauges.map { ($0, Int64($1)) }
    }
}
