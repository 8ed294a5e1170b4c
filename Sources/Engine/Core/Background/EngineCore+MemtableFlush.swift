import ShaleBase
import ShaleCompaction
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

extension EngineCore {
    var hasImmutableMemtable: Bool { !viewCell.retained().immutables.isEmpty }

    /// True if the flush thread has work.
    var needsFlush: Bool { hasImmutableMemtable || isWithoutLog.load(ordering: .relaxed) }

    /// Flushes the oldest memtable, or begins the log that there was no space for.
    func flushOrBeginLog() throws(StorageError) {
        if hasImmutableMemtable { return try flushOldest() }
        try beginLog()
    }

    /// True if a flush of the oldest memtable of `view` leaves the store at rest: a thread waits for the flush and
    /// nobody writes.
    ///
    /// Its segment may then stay in L0 for long, so it is compressed as in the last level. A store that is smaller than
    /// a memtable has no other segments. A flush that writers may have to wait for is not compressed that way.
    private func isLastFlush(_ view: View) -> Bool {
        flushWaiters.load(ordering: .relaxed) > 0 && view.immutables.count == 1
            && committer.lock.withLock { committer.memtable.entryCount == 0 }
    }

    /// Writes the oldest immutable memtable to L0 and retires its log. One thread at a time.
    ///
    /// 1. The segment's content is synced, then its name, then the edit that names it.
    /// 2. Only then does the view change and the log become obsolete.
    /// 3. A crash at any point leaves the log or the segment.
    func flushOldest() throws(StorageError) {
        let view = viewCell.retained()
        guard let memtable = view.immutables.last else { return }
        let began = clock.monotonicNanoseconds
        let names = directories.segmentNames.mark
        clock.refreshTrusted()
        flushedBeforeFailure.store(0, ordering: .relaxed)
        let job = FlushJob(
            memtable: memtable, number: fileNumbers.allocate(), segments: directories.segments, options: compaction,
            horizon: horizon(), older: OlderSegments(all: view.version), isLast: isLastFlush(view),
            createdMilliseconds: clock.now, values: try makeValuesDurable(of: memtable, view.logs[view.logs.count - 1]))
        var facts: [ManifestEdit.Fact] = []
        if memtable.entryCount > 0,
            let metadata = try job.run(failing: { flushedBeforeFailure.store($0, ordering: .relaxed) })
        {
            do {
                if !PlantedBug.isActive(.skipSegmentName) { try directories.syncSegments(since: names) }
            } catch {
                discardSegment(metadata.number)
                throw error
            }
            facts.append(.segmentAdded(level: 0, metadata))
            counters.flushedBytes.add(metadata.fileBytes)
        }
        // From now on, the log of the next younger memtable is the oldest that recovery needs.
        let floor = PlantedBug.isActive(.wrongLogFloor) ? view.logs[0] : view.logs[view.logs.count - 2]
        // `close` retires the last memtable without a new log: `view.logs[0]` is 0 then, and the newest log is that of
        // an immutable memtable. If the manifest named an older one than the floor, an open after a crash would miss
        // it.
        let newest = PlantedBug.isActive(.forgetClosingLog) ? view.logs[0] : view.logs.first { $0 != 0 } ?? floor
        facts += [.logFloor(floor), .newestLog(newest), .lastSequence(memtable.lastSequence)] + clock.facts
        if PlantedBug.isActive(.giveUpLogEarly), view.logs[view.logs.count - 1] != floor {
            try releaseLog(view.logs[view.logs.count - 1])
        }
        let next = try install(ManifestEdit(facts)) { [frozen] in
            let fresh = $0.flushed(into: $1)
            frozen.settle(fresh)
            return fresh
        }
        counters.flushes.add(1)
        let elapsed = clock.monotonicNanoseconds - began
        pacer.observeFlush(
            bytes: memtable.allocatedBytes + job.values.byteCount,
            nanoseconds: elapsed + job.values.stepNanoseconds)
        events.send(.flushed(entries: memtable.entryCount, duration: .nanoseconds(elapsed)))
        let number = view.logs[view.logs.count - 1]
        // A younger memtable of the same log still needs it.
        if number != floor {
            if memtable.valueFiles != nil { releaseValues(ofLog: number, before: next) }
            try releaseLog(number)
        }
        background?.wake()
    }

    /// Retires a log whose content is in a durable segment: neither recovery nor a synced commit needs it.
    ///
    /// A leader may be syncing the log right now, and deleting takes long. Neither the commit lock nor the next flush
    /// waits for it.
    private func releaseLog(_ number: UInt64) throws(StorageError) {
        do {
            let writer = committer.lock.withLock {
                let index = committer.undurableLogs.firstIndex { $0.number == number }
                return index.map { committer.undurableLogs.remove(at: $0) }
            }
            obsoleteFiles.addLog(number, writer)
            // `writer` is released here: a log with a reference is not deleted.
        }
        if case .threads = environment.scheduling { return }
        try obsoleteFiles.collect()
    }
}

/// Writes one memtable, or a range of its keys, as a segment of L0.
struct FlushJob {
    let memtable: Memtable
    /// The first key, and the first key after the range; nil for an open end. The memtable owns the bytes.
    var lower: Bytes?
    var upper: Bytes?
    /// The last sequence to write: a memtable of a reader beside an owner grows behind its state.
    var through = Trailer.sequenceMax
    let number: UInt64
    let segments: any Directory
    let options: CompactionOptions
    let horizon: Horizon
    /// All segments. Their versions of the memtable's keys are older.
    let older: OlderSegments
    /// True if the segment is likely to stay in L0.
    let isLast: Bool
    let createdMilliseconds: Int64
    var values = FlushedValues.none

    /// The size of output, block and compressor. The hashes for the filter add 16 bytes a key.
    private static let bufferBytes = 2 << 20

    /// Writes the segment and syncs its content, but not its name.
    ///
    /// - Parameter failing: Receives the number of stored bytes that were written before a failure.
    /// - Returns: nil if retention kept nothing.
    func run(failing: (UInt64) -> Void = { _ in }) throws(StorageError) -> SegmentMetadata? {
        let plan = try values.plan(memtable)
        let cursor = memtable.makeCursor(headOffset: 0)
        cursor.setBounds(headOffset: 0, limit: upper)
        try cursor.seek(lower, .forward)
        var charge = BufferCharge(options.budget)
        charge.set(FlushJob.bufferBytes + 16 * memtable.entryCount)
        defer { charge.set(0) }
        var writer = RetentionWriter(
            Retention(horizon, normalises: false),
            OutputWriter(
                directory: segments, options: options.writerOptions(level: 0, isLast: isLast), values: plan,
                allocateNumber: { [number] in number }))
        do {
            while cursor.runCount > 0 {
                for i in 0..<cursor.runCount where unsafe cursor.run[i].trailer.sequence <= through {
                    try writer.add(unsafe cursor.run[i], older: older)
                }
                try cursor.fill()
            }
            return try writer.output.finish(createdMilliseconds: createdMilliseconds)
        } catch {
            failing(writer.output.fileBytes)
            writer.output.abandon()
            throw error
        }
    }
}
