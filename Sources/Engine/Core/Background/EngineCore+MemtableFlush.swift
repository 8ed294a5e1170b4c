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

    /// True if the flush thread has something to do.
    var needsFlush: Bool { hasImmutableMemtable || isWithoutLog.load(ordering: .relaxed) }

    /// Writes the oldest memtable, or begins the log that there was no space for.
    func flushOrBeginLog() throws(StorageError) {
        if hasImmutableMemtable { return try flushOldest() }
        try beginLog()
    }

    /// Whether a flush of `view`'s oldest memtable leaves the store at rest: somebody waits for it, and nobody writes. Its
    /// segment may then stay in L0 for long, with others to which nothing more is added, and is compressed as in the last
    /// level: a store that is smaller than a memtable has nothing else. A flush that writers may have to wait for is not.
    private func isLastFlush(_ view: View) -> Bool {
        flushWaiters.load(ordering: .relaxed) > 0 && view.immutables.count == 1
            && committer.lock.withLock { committer.memtable.entryCount == 0 }
    }

    /// Writes the oldest immutable memtable to L0 and gives up its log. One thread at a time.
    ///
    /// Order: the segment's content is synced, then its name, then the edit that names it; only then does the view
    /// change and the log go. A crash anywhere leaves either the log or the segment.
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
            createdMilliseconds: clock.now)
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
        // The log of the next younger memtable is the oldest that recovery needs from now on.
        let floor = PlantedBug.isActive(.wrongLogFloor) ? view.logs[0] : view.logs[view.logs.count - 2]
        facts += [.logFloor(floor), .newestLog(view.logs[0]), .lastSequence(memtable.lastSequence)] + clock.facts
        try install(ManifestEdit(facts)) { [frozen] in
            let fresh = $0.flushed(into: $1)
            frozen.settle(fresh)
            return fresh
        }
        counters.flushes.add(1)
        let elapsed = clock.monotonicNanoseconds - began
        pacer.observeFlush(bytes: memtable.allocatedBytes, nanoseconds: elapsed)
        events.send(.flushed(entries: memtable.entryCount, nanoseconds: elapsed))
        let number = view.logs[view.logs.count - 1]
        // A younger memtable of the same log still needs it.
        if number != floor { try giveUpLog(number) }
        background?.wake()
    }

    /// The log's content is in a durable segment: neither recovery nor a synced commit needs it. A leader may be syncing
    /// it right now, and deleting takes as long as it takes: neither the commit lock nor the next flush waits for it.
    private func giveUpLog(_ number: UInt64) throws(StorageError) {
        do {
            let writer = committer.lock.withLock {
                let index = committer.undurableLogs.firstIndex { $0.number == number }
                return index.map { committer.undurableLogs.remove(at: $0) }
            }
            garbage.addLog(number, writer)
            // Ends here: a log that is referred to is not deleted.
        }
        if case .threads = environment.scheduling { return }
        try garbage.collect()
    }
}
