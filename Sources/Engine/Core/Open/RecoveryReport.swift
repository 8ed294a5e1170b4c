public import ShaleBase

/// The result of opening a store. After a clean close there is nothing to report, unless the wall clock has jumped.
public struct RecoveryReport: Sendable, Equatable {
    /// The number of batches that were in logs and not yet in segments.
    public internal(set) var replayedBatches: UInt64 = 0
    /// The number of bytes of those batches in the logs.
    public internal(set) var replayedBytes: UInt64 = 0
    /// The number of bytes at the logs' ends that were torn or followed a torn log.
    ///
    /// They were never acknowledged as synced.
    public internal(set) var droppedBytes: UInt64 = 0
    /// The last sequence in the store.
    public internal(set) var lastSequence: SequenceNumber = 0
    /// The number of unreferenced files that were removed.
    public internal(set) var removedFiles = 0
    /// The number of unreferenced files that could not be removed. The next open tries again.
    public internal(set) var unremovedFiles = 0
    /// True if the disk had no space for the files that opening writes.
    ///
    /// The store then serves the logs' content from memory, and writes throw `.noSpace` until there is space: see
    /// ``EngineStatistics/isOutOfSpace``.
    public internal(set) var isOutOfSpace = false
    /// The reading of the wall clock that contradicts the store's time and is not accepted yet; `nil` if there is no
    /// contradiction.
    public internal(set) var clockDoubt: ClockDoubt?
    /// The number of milliseconds by which opening set the store's time back, because an earlier reading of the wall
    /// clock turned out to be wrong; 0 if it did not.
    public internal(set) var discardedClockMilliseconds: Int64 = 0
    /// True if the text of LOCK, which names the process that holds the store, could not be written.
    ///
    /// The store is locked nevertheless, but another opener does not learn the process.
    public internal(set) var isHolderUnnamed = false
    /// True if users other than its owner have access to the store's directory.
    ///
    /// Opening does not change the directory's mode.
    public internal(set) var isOpenToOthers = false
}
