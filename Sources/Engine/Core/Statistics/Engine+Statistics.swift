public import ShaleBase
import ShaleCompaction
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

extension Engine {
    /// The current figures.
    ///
    /// - Complexity: O(segments).
    public var statistics: Engine.Statistics { core.statistics() }

    /// Returns the figures of one namespace.
    ///
    /// - Complexity: O(segments).
    public func statistics(of namespace: NamespaceID) throws(StorageError) -> NamespaceStatistics {
        try core.statistics(of: namespace)
    }

    /// A stream of events of the engine's background work.
    ///
    /// Each call returns a new stream, which ends when the engine is closed or released. A reader that is more than 256
    /// events behind loses the oldest ones.
    public var events: AsyncStream<Engine.Event> { core.events.stream() }
}

extension EngineCore {
    func statistics(of namespace: NamespaceID) throws(StorageError) -> NamespaceStatistics {
        try checkReadable(namespace)
        let view = viewCell.retained()
        var total = NamespaceStatistics()
        for memtable in view.memtables {
            let part = memtable.summary(of: namespace)
            total.entries += part.entries
            total.deletes += part.deletes
            total.purgeable += part.purgeable
            total.expirable += part.expirable
            total.rawBytes += part.rawBytes
            total.purgeableRawBytes += part.purgeableRawBytes
        }
        for segment in view.version.levels.flatMap(\.segments) {
            guard let slice = segment.metadata.slice(of: namespace) else { continue }
            total.entries += slice.entryCount
            total.deletes += slice.deleteCount
            total.purgeable += slice.purgeableCount
            total.expirable += slice.expirableCount
            total.rawBytes += slice.dataBytes
            total.purgeableRawBytes += slice.purgeableDataBytes
            total.storedBytes += slice.storedBytes
        }
        return total
    }

    func statistics() -> Engine.Statistics {
        let view = viewCell.retained()
        var result = Engine.Statistics()
        let isPoisoned = committer.lock.withLock {
            result.batches = committer.counters.batches
            result.operations = committer.counters.operations
            result.userBytes = committer.counters.userBytes
            result.syncs = committer.counters.syncs
            result.logBytes = counters.retiredLogBytes.current + (committer.log?.endOffset ?? 0)
            return committer.terminalError?.code == .poisoned
        }
        result.isPoisoned = isPoisoned
        result.spaceShortages = shortages.current
        result.isOutOfSpace = background?.isOutOfSpace ?? false
        result.flushes = counters.flushes.current
        result.flushedBytes = counters.flushedBytes.current
        result.compactions = counters.compactions.current
        result.moves = counters.moves.current
        result.drops = counters.drops.current
        result.compactionReadBytes = counters.compactionReadBytes.current
        result.compactionWrittenBytes = counters.compactionWrittenBytes.current
        result.backgroundFailures = counters.backgroundFailures.current
        result.longPins = counters.longPins.current
        result.descriptorShortages = segmentEnvironment.files.shortageCount
        let cache = segmentEnvironment.cache.statistics
        result.cacheHits = UInt64(cache.hitCount)
        result.cacheMisses = UInt64(cache.missCount)
        result.cacheBytes = cache.bytes
        result.cacheCapacityBytes = segmentEnvironment.budget.cacheCapacityBytes
        result.tableBytes = segmentEnvironment.budget.charged(for: .tables)
        result.stalls = pacer.statistics
        result.pressure = pacer.currentPressure
        result.levels = view.version.levels.map { level in
            LevelStatistics(
                level: level.level, segments: level.segments.count, storedBytes: level.storedBytes,
                rawBytes: level.segments.reduce(0) { $0 + $1.metadata.dataBytes },
                entries: level.segments.reduce(0) { $0 + $1.metadata.entryCount },
                deletes: level.segments.reduce(0) { $0 + $1.metadata.deleteCount })
        }
        result.compactionDebtBytes = LevelTargets(view.version, compaction).debt(of: view.version, compaction)
        for use in view.version.valueUses.values {
            result.valueFileBytes += use.fileBytes
            result.usedValueBytes += use.usedBytes
        }
        result.memtableBytes = view.memtables.reduce(0) { $0 + $1.allocatedBytes }
        result.immutableMemtables = view.immutables.count
        result.snapshots = snapshots.count
        if let oldest = snapshots.oldest {
            result.oldestSnapshotAge = .milliseconds(max(0, clock.now - oldest.wallMilliseconds))
        }
        result.lastSequence = committer.visible.load(ordering: .acquiring)
        result.durabilityIsReduced = directories.root.durabilityIsReduced
        result.heldBytes = obsoleteFiles.totals.heldBytes
        noteReaders(in: &result)
        result.clockDoubt = clock.doubt
        result.clockCorrections = clock.corrections.current
        result.oldestPinAge = .nanoseconds(domain.observePins(at: clock.monotonicNanoseconds))
        result.retiredBytes = domain.retiredBytes
        return result
    }

    /// Adds the figures of readers in other processes. If their holds can't be read, that counts as a background
    /// failure.
    private func noteReaders(in result: inout Engine.Statistics) {
        do throws(IOFailure) {
            result.heldStates = try readerClaims.heldStates()
        } catch {
            counters.backgroundFailures.add(1)
        }
        let figures = readerClaims.figures
        result.readerBytes = figures.keptBytes
        result.revokedFiles = figures.revokedFiles
        if let since = figures.oldestSince {
            let now = clock.monotonicNanoseconds
            result.readerAge = .nanoseconds(now > since ? now - since : 0)
        }
    }
}

/// Totals of the background threads.
final class EngineCounters: Sendable {
    struct Total: ~Copyable, Sendable {
        private let value = Atomic<UInt64>(0)

        func add(_ amount: UInt64) { value.wrappingAdd(amount, ordering: .relaxed) }
        var current: UInt64 { value.load(ordering: .relaxed) }
    }

    let flushes = Total()
    let flushedBytes = Total()
    let retiredLogBytes = Total()
    let compactions = Total()
    let moves = Total()
    let drops = Total()
    let compactionReadBytes = Total()
    let compactionWrittenBytes = Total()
    let backgroundFailures = Total()
    let longPins = Total()

    func record(_ job: CompactionJob, _ statistics: CompactionStatistics) {
        switch job.kind {
        case .move: moves.add(1)
        case .drop: drops.add(1)
        case .merge, .rewrite: compactions.add(1)
        }
        compactionReadBytes.add(statistics.readBytes)
        compactionWrittenBytes.add(statistics.writtenBytes)
    }
}
