public import ShaleBase
import ShaleMemtable
import ShaleSegment

extension Engine {
    /// The figures of an open engine: totals since it was opened, and gauges of the present.
    ///
    /// ``since(_:)`` gives the figures of an interval.
    public struct Statistics: Sendable, Hashable {
        // Totals.
        public internal(set) var batches: UInt64 = 0
        public internal(set) var operations: UInt64 = 0
        /// The bytes of keys and values that callers wrote.
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
        /// The number of times that segment files were closed because the process had no descriptors left.
        public internal(set) var descriptorShortages: UInt64 = 0
        /// The number of times that an operation found no space and was done in another way.
        ///
        /// Examples are a smaller log, the released reserve, an opening that serves from memory, and a closing that
        /// leaves its logs.
        public internal(set) var spaceShortages: UInt64 = 0
        /// The number of reading calls that lasted 10 s or more: see ``Engine/Event/pinHeld(for:retiredBytes:)``.
        public internal(set) var longPins: UInt64 = 0
        /// The number of times that the time of readers was set back, because readings of the wall clock turned out to
        /// be wrong.
        public internal(set) var clockCorrections: UInt64 = 0
        /// The number of files that were deleted although readers in other processes held them: see
        /// ``Engine/Options/readerTimeMax``.
        public internal(set) var revokedFiles: UInt64 = 0
        public internal(set) var stalls = StallStatistics()

        // Gauges.
        public internal(set) var levels: [LevelStatistics] = []
        /// The stored bytes that compactions have to move down until no level exceeds its target: all of L0 once it has
        /// ``Engine/Options/l0CompactionTrigger`` segments, and the excess of each other level.
        ///
        /// A lower bound on the bytes that they will read, because moved data is merged with what it overlaps.
        public internal(set) var compactionDebtBytes: UInt64 = 0
        /// The bytes of value files that segments use.
        public internal(set) var valueFileBytes: UInt64 = 0
        /// The part of ``valueFileBytes`` to which segments refer. The rest is garbage.
        public internal(set) var usedValueBytes: UInt64 = 0
        public internal(set) var memtableBytes = 0
        public internal(set) var immutableMemtables = 0
        public internal(set) var cacheBytes = 0
        /// The part of the memory budget that is left for the cache.
        public internal(set) var cacheCapacityBytes = 0
        public internal(set) var tableBytes = 0
        public internal(set) var snapshots = 0
        /// The age of the oldest live snapshot, which keeps old versions on disk; zero without one.
        public internal(set) var oldestSnapshotAge: Duration = .zero
        public internal(set) var lastSequence: SequenceNumber = 0
        /// The pressure on writers, from 0 (none) to 1 (they wait).
        public internal(set) var pressure = 0.0
        public internal(set) var isPoisoned = false
        /// True if a flush, a compaction or the first log of a store that was opened on a full disk waits for space.
        ///
        /// Writes may throw `.noSpace`. The work is retried every 1 to 2 s, and at once after a purge, a drop or a
        /// truncation.
        public internal(set) var isOutOfSpace = false
        /// True if the file system refuses the strongest sync.
        public internal(set) var durabilityIsReduced = false
        /// The bytes of replaced segments that still take space, because readers hold them or their deletion is
        /// running.
        public internal(set) var heldBytes: UInt64 = 0
        /// The number of states that readers in other processes hold, and of logs from which followers hold what they
        /// have not read. Each is counted once; 1 if there are more than 256.
        public internal(set) var heldStates = 0
        /// The disk space of replaced files that only readers in other processes keep, logs included.
        ///
        /// At most ``Engine/Options/readerBytesMax``.
        public internal(set) var readerBytes: UInt64 = 0
        /// The time for which the oldest of these files has been kept; zero without one.
        public internal(set) var readerAge: Duration = .zero
        /// The reading of the wall clock that the engine does not accept yet, and removes nothing by; `nil` if it
        /// accepts the clock.
        public internal(set) var clockDoubt: ClockDoubt?
        /// A lower bound on the duration of the oldest running read call; zero without one.
        ///
        /// Until it ends, replaced memory stays allocated and replaced segments stay on disk.
        public internal(set) var oldestPinAge: Duration = .zero
        /// The memory of replaced memtables and evicted blocks that is not freed yet, because running read calls may
        /// still use it.
        public internal(set) var retiredBytes = 0

        /// The stored bytes of all segments.
        public var storedBytes: UInt64 { levels.reduce(0) { $0 + $1.storedBytes } }

        /// The number of bytes written to files for each byte that callers wrote.
        public var writeAmplification: Double {
            userBytes == 0 ? 0 : Double(logBytes + flushedBytes + compactionWrittenBytes) / Double(userBytes)
        }

        /// Returns the figures of the interval between `earlier` and these, both of the same engine.
        ///
        /// Totals are subtracted. Gauges, and ``StallStatistics/longestDelay`` and ``StallStatistics/longestStop``,
        /// keep the value of these figures.
        ///
        /// ```swift
        /// let before = store.engine.statistics
        /// try work()
        /// let taken = store.engine.statistics.since(before)
        /// ```
        public func since(_ earlier: Engine.Statistics) -> Engine.Statistics {
            var result = self
            for path: WritableKeyPath<Engine.Statistics, UInt64> in Engine.Statistics.totals {
                result[keyPath: path] &-= earlier[keyPath: path]
            }
            result.stalls = stalls.since(earlier.stalls)
            return result
        }

        private static var totals: [WritableKeyPath<Engine.Statistics, UInt64>] {
            [
                \.batches, \.operations, \.userBytes, \.syncs, \.logBytes, \.flushes, \.flushedBytes, \.compactions,
                \.moves,
                \.drops, \.compactionReadBytes, \.compactionWrittenBytes, \.cacheHits, \.cacheMisses,
                \.backgroundFailures,
                \.descriptorShortages, \.spaceShortages, \.longPins, \.clockCorrections, \.revokedFiles,
            ]
        }
    }
}

/// One level of the tree.
public struct LevelStatistics: Sendable, Hashable {
    public let level: Int
    public let segments: Int
    public let storedBytes: UInt64
    /// The uncompressed bytes of keys and values.
    public let rawBytes: UInt64
    public let entries: UInt64
    public let deletes: UInt64
}

/// The delays of writers.
public struct StallStatistics: Sendable, Hashable {
    public internal(set) var delayedWrites: UInt64 = 0
    public internal(set) var delayTime: Duration = .zero
    /// A maximum, which is not subtracted.
    public internal(set) var longestDelay: Duration = .zero
    /// The number of writes that waited for background work to finish.
    public internal(set) var stoppedWrites: UInt64 = 0
    public internal(set) var stopTime: Duration = .zero
    public internal(set) var longestStop: Duration = .zero

    func since(_ earlier: StallStatistics) -> StallStatistics {
        var result = self
        result.delayedWrites &-= earlier.delayedWrites
        result.delayTime -= earlier.delayTime
        result.stoppedWrites &-= earlier.stoppedWrites
        result.stopTime -= earlier.stopTime
        return result
    }
}

/// The figures of one namespace in memtables and segments.
///
/// The figures count *stored versions*. A version stays until a compaction removes it. So they include older versions
/// of keys that were written again, deletes, and entries that have expired or were purged or truncated:
///
/// - ``keyCountMax`` is never less than the number of keys that a reader sees. It is equal if
///   ``Engine/compact(_:options:progress:)`` has run without older snapshots, and since then nothing was written again
///   or deleted and no entry has expired.
/// - There is no lower bound other than 0, because all versions may be of one key. ``Engine/count(over:in:at:)`` is
///   exact.
/// - The other counts and ``rawBytes`` are upper bounds in the same way.
/// - ``storedBytes`` is exact for the blocks of the namespace in segments. Indexes, filters and logs are not included.
///
/// While other threads write, the figures may belong to different moments, a few writes apart.
public struct NamespaceStatistics: Sendable, Hashable {
    /// The number of stored versions, including ``deletes``.
    public internal(set) var entries: UInt64 = 0
    /// The number of deletes that still hide older versions or wait for a compaction.
    public internal(set) var deletes: UInt64 = 0
    /// The number of versions that a purge removes.
    public internal(set) var purgeable: UInt64 = 0
    /// The number of versions with an expiry.
    public internal(set) var expirable: UInt64 = 0
    /// The uncompressed bytes of the keys and values of all versions. Each key counts 4 bytes more than the caller's.
    public internal(set) var rawBytes: UInt64 = 0
    /// The part of ``rawBytes`` that belongs to purgeable versions.
    public internal(set) var purgeableRawBytes: UInt64 = 0
    /// The bytes of the namespace's blocks in the segment files. Memtables have none.
    public internal(set) var storedBytes: UInt64 = 0

    /// An upper bound for the number of keys that a reader sees, because each has at least one stored version that is
    /// not a delete.
    public var keyCountMax: UInt64 { entries - min(deletes, entries) }
}
