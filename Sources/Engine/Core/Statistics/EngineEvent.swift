public import ShaleBase
import ShaleCompaction
import ShaleSegment

extension Engine {
    /// An event of the engine's background work.
    public enum Event: Sendable {
        case flushed(entries: Int, duration: Duration)
        case compacted(CompactionEvent)
        /// Background work failed. It is retried, unless the log failed and the engine is poisoned.
        case backgroundFailure(StorageError)
        /// The disk is full: a flush or a compaction found no space, or the store was opened without space for a log.
        ///
        /// Sent once; the work is retried every 1 to 2 s. See ``Engine/Statistics/isOutOfSpace``.
        case spaceExhausted
        /// Space has returned, and the work that waited for it is done.
        case spaceReturned
        /// The wall clock jumped. The engine removes nothing by its readings until they have held for a day.
        case clockDoubted(ClockDoubt)
        /// The time of readers went back, because readings that were ahead turned out to be wrong.
        ///
        /// Entries that had expired only by those readings are visible again.
        case clockSetBack(by: Duration)
        /// A thread has been inside one read call for at least this long, which is 10 s or more.
        ///
        /// Sent once per call. Until the call ends, the engine can free neither replaced memory, `retiredBytes` so far,
        /// nor replaced segment files.
        case pinHeld(for: Duration, retiredBytes: Int)
    }
}

/// A finished compaction.
public struct CompactionEvent: Sendable, Hashable {
    /// One of merge, move, drop and rewrite.
    public let kind: String
    public let inputSegments: Int
    public let outputLevel: Int
    public let readBytes: UInt64
    public let writtenBytes: UInt64
    public let duration: Duration
}
