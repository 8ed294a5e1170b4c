/// The result of work that the owner of a store did for another process:
/// ``Engine/requestCompaction(ofStoreAt:scope:options:purging:progress:)``.
public struct OwnerWorkReport: Sendable, Hashable {
    public internal(set) var compaction = CompactionReport()
    /// The stored bytes of all segments before the work.
    public internal(set) var storedBytesBefore: UInt64 = 0
    /// The stored bytes of all segments after it.
    public internal(set) var storedBytesAfter: UInt64 = 0
    /// The number of purgeable versions that were removed.
    public internal(set) var purgedEntries: UInt64 = 0
    /// The uncompressed bytes of their keys and values.
    public internal(set) var purgedRawBytes: UInt64 = 0
    /// The bytes of disk by which the store's files have shrunk, as `du` shows them. Negative if they grew: the owner
    /// may write meanwhile.
    public internal(set) var returnedBytes: Int64 = 0
}

extension OwnerWorkReport {
    /// In the order of an answer. On disk, do not change.
    var figures: [Int64] {
        [
            Int64(clamping: compaction.readBytes), Int64(clamping: compaction.writtenBytes), compaction.returnedBytes,
            Int64(clamping: compaction.shadowedEntries), Int64(clamping: compaction.erasedEntries),
            Int64(clamping: compaction.removedTombstones), Int64(clamping: compaction.copiedBlocks),
            Int64(clamping: compaction.skippedBlocks), Int64(clamping: storedBytesBefore),
            Int64(clamping: storedBytesAfter), Int64(clamping: purgedEntries), Int64(clamping: purgedRawBytes),
            returnedBytes,
        ]
    }

    static let figureCount = 13

    /// `figures` has ``figureCount`` elements.
    init(_ figures: [Int64]) {
        func count(_ index: Int) -> UInt64 { UInt64(clamping: figures[index]) }
        compaction.readBytes = count(0)
        compaction.writtenBytes = count(1)
        compaction.returnedBytes = figures[2]
        compaction.shadowedEntries = count(3)
        compaction.erasedEntries = count(4)
        compaction.removedTombstones = count(5)
        compaction.copiedBlocks = count(6)
        compaction.skippedBlocks = count(7)
        storedBytesBefore = count(8)
        storedBytesAfter = count(9)
        purgedEntries = count(10)
        purgedRawBytes = count(11)
        returnedBytes = figures[12]
    }
}
