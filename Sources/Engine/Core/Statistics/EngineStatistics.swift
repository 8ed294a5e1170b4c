public import ShaleBase
import ShaleMemtable
import ShaleSegment

/// Figures of an open engine: totals since it was opened, and gauges of the present. Subtract two to see an interval:
/// totals are subtracted, gauges keep their newer value.
public struct EngineStatistics: Sendable, Hashable {
    // Totals.
    public internal(set) var batches: UInt64 = 0
    public internal(set) var operations: UInt64 = 0
    /// Bytes of keys and values that callers wrote.
    public internal(set) var userBytes: UInt64 = 0
    public internal(set) var syncs: UInt64 = 0
    public internal(set) var logBytes: UInt64 = 0
    public internal(set) var flushes: UInt64 = 0
    public internal(set) var flushedBytes: UInt64 = 0
    public internal(set) var compactions: UInt64 = 0
    public internal(set) var moves: UInt64 = 0
    public internal(set) var drops: UInt64 = 0
    public internal(set) var compactionReadBytes: UInt64 = 0
    public internal(set) var compactionWrittenBytes: UInt64 = 0
    public internal(set) var cacheHits: UInt64 = 0
    public internal(set) var cacheMisses: UInt64 = 0
    public internal(set) var backgroundFailures: UInt64 = 0
    /// How often segment files were closed because the process had run out of descriptors.
    public internal(set) var descriptorShortages: UInt64 = 0
    /// How often there was no space for something that was then done in another way: a smaller log, the reserve given up, an
    /// opening that serves from memory, a closing that leaves its logs.
    public internal(set) var spaceShortages: UInt64 = 0
    /// The number of reading calls that lasted 10 s or more: see ``EngineEvent/pinHeld(nanoseconds:retiredBytes:)``.
    public internal(set) var longPins: UInt64 = 0
    /// How often the time that readers see was set back, because readings of the wall clock turned out to be wrong.
    public internal(set) var clockCorrections: UInt64 = 0
    public internal(set) var stalls = StallStatistics()

    // Gauges.
    public internal(set) var levels: [LevelStatistics] = []
    public internal(set) var memtableBytes = 0
    public internal(set) var immutableMemtables = 0
    public internal(set) var cacheBytes = 0
    /// What the cache may hold now: what everything else leaves of the memory budget.
    public internal(set) var cacheCapacityBytes = 0
    public internal(set) var tableBytes = 0
    public internal(set) var snapshots = 0
    /// Age of the oldest live snapshot, which keeps old versions on disk; 0 without one.
    public internal(set) var oldestSnapshotAgeMilliseconds: Int64 = 0
    public internal(set) var lastSequence: SequenceNumber = 0
    /// 0 = writers run freely … 1 = they wait.
    public internal(set) var pressure = 0.0
    public internal(set) var isPoisoned = false
    /// True if a flush, a compaction or the first log of a store that was opened on a full disk waits for space. Writes may
    /// throw `.noSpace`. The work is tried again about every second, and at once after a purge, a drop or a truncation.
    public internal(set) var isOutOfSpace = false
    /// Whether the file system refuses the strongest sync.
    public internal(set) var durabilityIsReduced = false
    /// Replaced segments whose files take space still, because readers hold them or they are just being deleted.
    public internal(set) var heldBytes: UInt64 = 0
    /// The reading of the wall clock that the engine does not believe yet, and removes nothing by; `nil` if it believes the
    /// clock.
    public internal(set) var clockDoubt: ClockDoubt?
    /// For how long, at least, the oldest unfinished reading call has lasted; 0 without one. Until it ends, what the engine
    /// replaces stays in memory, and replaced segments on disk.
    public internal(set) var oldestPinNanoseconds: UInt64 = 0
    /// Memory of replaced memtables and evicted blocks that is not freed yet, because reading calls may still use it.
    public internal(set) var retiredBytes = 0

    /// Stored bytes of all segments.
    public var storedBytes: UInt64 { levels.reduce(0) { $0 + $1.storedBytes } }

    /// Bytes written to files for each byte that callers wrote.
    public var writeAmplification: Double {
        userBytes == 0 ? 0 : Double(logBytes + flushedBytes + compactionWrittenBytes) / Double(userBytes)
    }

    public static func - (newer: EngineStatistics, older: EngineStatistics) -> EngineStatistics {
        var result = newer
        for path: WritableKeyPath<EngineStatistics, UInt64> in totals { result[keyPath: path] &-= older[keyPath: path] }
        result.stalls = newer.stalls - older.stalls
        return result
    }

    private static var totals: [WritableKeyPath<EngineStatistics, UInt64>] {
        [
            \.batches, \.operations, \.userBytes, \.syncs, \.logBytes, \.flushes, \.flushedBytes, \.compactions,
            \.moves,
            \.drops, \.compactionReadBytes, \.compactionWrittenBytes, \.cacheHits, \.cacheMisses, \.backgroundFailures,
            \.descriptorShortages, \.spaceShortages, \.longPins, \.clockCorrections,
        ]
    }
}

/// One level of the tree.
public struct LevelStatistics: Sendable, Hashable {
    public let level: Int
    public let segments: Int
    public let storedBytes: UInt64
    /// Bytes of keys and values, uncompressed.
    public let rawBytes: UInt64
    public let entries: UInt64
    public let deletes: UInt64
}

/// How writers were held back.
public struct StallStatistics: Sendable, Hashable {
    public internal(set) var delayedWrites: UInt64 = 0
    public internal(set) var delayNanoseconds: UInt64 = 0
    /// A maximum: not subtracted.
    public internal(set) var longestDelayNanoseconds: UInt64 = 0
    /// Writes that waited for background work to finish.
    public internal(set) var stoppedWrites: UInt64 = 0
    public internal(set) var stopNanoseconds: UInt64 = 0
    public internal(set) var longestStopNanoseconds: UInt64 = 0

    static func - (newer: StallStatistics, older: StallStatistics) -> StallStatistics {
        var result = newer
        result.delayedWrites &-= older.delayedWrites
        result.delayNanoseconds &-= older.delayNanoseconds
        result.stoppedWrites &-= older.stoppedWrites
        result.stopNanoseconds &-= older.stopNanoseconds
        return result
    }
}

/// What memtables and segments hold of one namespace.
///
/// The figures count *stored versions*. A version stays until a compaction meets it, so these are included: older versions of
/// keys that were written again, deletes, and entries that have expired or were purged or truncated. So:
///
/// - ``keyCountMax`` is never less than the number of keys that a reader sees. It is equal to it once
///   ``Engine/compact(_:options:progress:)`` has run without older snapshots, nothing was written again or deleted since, and no entry
///   has expired since.
/// - There is no lower bound other than 0: all versions may be of one key. ``Engine/count(over:in:at:)`` is exact.
/// - The other counts and ``rawBytes`` are upper bounds for what a reader sees, in the same way.
/// - ``storedBytes`` is exact for the blocks of the namespace in segments. Indexes, filters and logs are not included.
///
/// Figures that are taken while somebody writes may each be of another moment, a few writes apart.
public struct NamespaceStatistics: Sendable, Hashable {
    /// Versions stored, including ``deletes``.
    public internal(set) var entries: UInt64 = 0
    /// Deletes that still hide older versions or wait for a compaction.
    public internal(set) var deletes: UInt64 = 0
    /// Versions that a purge takes.
    public internal(set) var purgeable: UInt64 = 0
    /// Versions with a time to live.
    public internal(set) var expirable: UInt64 = 0
    /// Bytes of the keys and values of all versions, uncompressed. Each key counts 4 bytes more than the caller's.
    public internal(set) var rawBytes: UInt64 = 0
    /// The part of ``rawBytes`` that is of purgeable versions.
    public internal(set) var purgeableRawBytes: UInt64 = 0
    /// Bytes of the namespace's blocks in the segment files. Memtables have none.
    public internal(set) var storedBytes: UInt64 = 0

    /// An upper bound for the number of keys that a reader sees: each has at least one stored version that is no delete.
    public var keyCountMax: UInt64 { entries - min(deletes, entries) }
}
