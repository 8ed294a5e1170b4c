import ShaleEngine

struct CompactReport: Report {
    static let command = "compact"

    let readBytes: UInt64
    let writtenBytes: UInt64
    let returnedBytes: Int64
    let shadowedEntries: UInt64
    let erasedEntries: UInt64
    let removedTombstones: UInt64
    let copiedBlocks: UInt64
    let skippedBlocks: UInt64
    let storedBytesBefore: UInt64
    let storedBytesAfter: UInt64
    let seconds: Double

    init(_ done: CompactionReport, storedBytesBefore: UInt64, storedBytesAfter: UInt64, seconds: Double) {
        readBytes = done.readBytes
        writtenBytes = done.writtenBytes
        returnedBytes = done.returnedBytes
        shadowedEntries = done.shadowedEntries
        erasedEntries = done.erasedEntries
        removedTombstones = done.removedTombstones
        copiedBlocks = done.copiedBlocks
        skippedBlocks = done.skippedBlocks
        self.storedBytesBefore = storedBytesBefore
        self.storedBytesAfter = storedBytesAfter
        self.seconds = seconds
    }

    func text() -> Shown {
        """
        \(Figures.bytes(storedBytesBefore)) of segments became \(Figures.bytes(storedBytesAfter)) in \
        \(Figures.duration(.seconds(seconds))): \(Figures.bytes(readBytes)) read, \
        \(Figures.bytes(writtenBytes)) written, \(Figures.bytes(returnedBytes)) returned
        \(Figures.count(shadowedEntries, "hidden version")), \
        \(Figures.count(erasedEntries, "erased entry", "erased entries")) and \
        \(Figures.count(removedTombstones, "tombstone")) removed; \(Figures.count(copiedBlocks, "block")) copied \
        unchanged
        """
    }
}

/// The estimated effect of a compaction.
struct EstimateReport: Report {
    static let command = "compact"

    let segments: Int
    let readBytes: UInt64
    let writtenBytes: UInt64
    let freedBytes: UInt64
    let extraBytes: UInt64
    let isDryRun = true

    init(_ estimate: CompactionEstimate) {
        segments = estimate.segments
        readBytes = estimate.readBytes
        writtenBytes = estimate.writtenBytes
        freedBytes = estimate.freedBytes
        extraBytes = estimate.extraBytes
    }

    func text() -> Shown {
        """
        would read \(Figures.bytes(readBytes)) in \(Figures.count(segments, "segment")) and write at most \
        \(Figures.bytes(writtenBytes)), with \(Figures.bytes(extraBytes)) of additional space meanwhile
        purged, truncated, dropped or expired: \(Figures.bytes(freedBytes)); \
        entries hidden by newer versions add to that
        """
    }
}
