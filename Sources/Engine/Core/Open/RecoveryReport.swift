public import ShaleBase

/// What opening a store found. A store that was closed has nothing to report, unless the wall clock has jumped.
public struct RecoveryReport: Sendable, Equatable {
    /// Batches that were in logs and not yet in segments.
    public internal(set) var replayedBatches: UInt64 = 0
    /// Bytes of those logs.
    public internal(set) var replayedBytes: UInt64 = 0
    /// Bytes at the logs' ends that were torn or behind a torn log: never acknowledged as synced.
    public internal(set) var droppedBytes: UInt64 = 0
    /// The last sequence that the store holds.
    public internal(set) var lastSequence: SequenceNumber = 0
    /// Files that nothing referred to and that were removed.
    public internal(set) var removedFiles = 0
    /// Files that nothing referred to and that could not be removed. The next open tries again.
    public internal(set) var unremovedFiles = 0
    /// True if the disk had no space for what opening writes. The store then serves what the logs held from memory, and
    /// writes throw `.noSpace` until there is space: see ``EngineStatistics/isOutOfSpace``.
    public internal(set) var isOutOfSpace = false
    /// The reading of the wall clock that contradicts the time that the store knew, and is not believed yet; `nil` if there
    /// is no contradiction.
    public internal(set) var clockDoubt: ClockDoubt?
    /// By how many milliseconds the opening set the store's time back, because an earlier reading of the wall clock turned
    /// out to be wrong; 0 if it did not.
    public internal(set) var discardedClockMilliseconds: Int64 = 0
    /// True if the text of LOCK, which names the process that holds the store, could not be written. The store is locked all
    /// the same; another opener is not told by which process.
    public internal(set) var isHolderUnnamed = false
    /// Whether others than its owner may do something with the store's directory, which keeps the mode that it had.
    public internal(set) var isOpenToOthers = false
}
