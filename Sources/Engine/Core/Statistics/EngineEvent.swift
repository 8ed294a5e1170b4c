public import ShaleBase
import ShaleCompaction
import ShaleSegment

/// Something that the engine did in the background.
public enum EngineEvent: Sendable {
    case flushed(entries: Int, nanoseconds: UInt64)
    case compacted(CompactionEvent)
    /// Work failed and will be tried again, or the log failed and the engine is poisoned.
    case backgroundFailure(StorageError)
    /// The disk is full: a flush or a compaction found no space, or the store was opened without space for a log. Sent once;
    /// the work is tried again about every second. See ``EngineStatistics/isOutOfSpace``.
    case spaceExhausted
    /// There is space again, and what waited for it is done.
    case spaceReturned
    /// The wall clock jumped. The engine removes nothing by its readings until they have held for a day.
    case clockDoubted(ClockDoubt)
    /// The time that readers see went back, because readings that were ahead turned out to be wrong. Entries that had expired
    /// only by those readings are visible again.
    case clockSetBack(milliseconds: Int64)
    /// A thread has been inside one reading call for at least `nanoseconds`, which is 10 s or more. Until the call ends, the
    /// engine can't free what it has replaced: memory, of which `retiredBytes` so far, and files of segments. Sent once per call.
    case pinHeld(nanoseconds: UInt64, retiredBytes: Int)
}

/// A finished compaction.
public struct CompactionEvent: Sendable, Hashable {
    /// merge, move, drop or rewrite.
    public let kind: String
    public let inputSegments: Int
    public let outputLevel: Int
    public let readBytes: UInt64
    public let writtenBytes: UInt64
    public let nanoseconds: UInt64
}
