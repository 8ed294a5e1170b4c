import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

extension EngineCore {
    /// Makes room for `bytes` of `operations` in the memtable, and for `values` in the value file, by rotating them
    /// together with the log: one memtable, one log, at most one value file.
    ///
    /// If too many memtables or L0 segments are pending, it first waits for flushes and compactions.
    ///
    /// - Parameter stalled: The time at which the write began to wait. The write's deadline counts from it over all
    ///   calls.
    func makeRoom(
        bytes: Int, operations: Int, _ values: LargeValues? = nil, _ stalled: inout UInt64?
    ) throws(StorageError) {
        try requireLog()
        while true {
            try waitForRelief(&stalled)
            let done = try committer.exclusively { () throws(StorageError) -> Bool in
                if committer.memtable.hasRoom(bytes: bytes, operations: operations), committer.hasRoom(for: values) {
                    return true
                }
                if isStopped { return false }
                try rotate(bytes: bytes, operations: operations)
                return true
            }
            if done { break }
        }
        beginDeferral()
        if isWritingBack { committer.separation?.wakeup.unpark() }
        background?.wake()
        updatePressure()
        if case .inline = environment.scheduling { try background?.runInline() }
    }

    /// True if a rotation would exceed the limit on immutable memtables or L0 segments.
    private var isStopped: Bool {
        guard case .threads = environment.scheduling else { return false }
        return hasTooManyMemtables || hasTooManyL0Segments
    }

    private var hasTooManyMemtables: Bool { viewCell.retained().immutables.count >= options.immutableMemtables }

    private var hasTooManyL0Segments: Bool {
        viewCell.retained().version.levels[0].segments.count >= options.l0StopTrigger
    }

    private func waitForRelief(_ stalled: inout UInt64?) throws(StorageError) {
        guard isStopped, let background else { return }
        let began = clock.monotonicNanoseconds
        let first = stalled ?? began
        stalled = first
        background.wake()
        defer { pacer.recordStop(nanoseconds: clock.monotonicNanoseconds - began) }
        let isOverdue = { [self] in pacer.isPastDeadline(clock.monotonicNanoseconds - first) }
        try background.wait(for: \.flushFailures, until: { !hasTooManyMemtables }, unless: isOverdue)
        try background.wait(for: \.compactionFailures, until: { !hasTooManyL0Segments }, unless: isOverdue)
    }

    /// Throws if there is no log to write to yet. With threads, the flush thread creates one as soon as there is space.
    private func requireLog() throws(StorageError) {
        guard isWithoutLog.load(ordering: .relaxed) else { return }
        if case .threads = environment.scheduling { throw EngineCore.noLogError }
        while needsFlush { try flushOrBeginLog() }
    }

    private static var noLogError: StorageError {
        StorageError(
            .noSpace, "the disk had no space when the store was opened: writing resumes when there is space")
    }

    /// Begins the first log of a store that was opened without space for one. All replayed entries are in segments, so
    /// the new log has no predecessor.
    func beginLog() throws(StorageError) {
        let time = clock.facts
        try committer.exclusively { () throws(StorageError) in
            guard isWithoutLog.load(ordering: .relaxed), !hasImmutableMemtable, let spareLog else { return }
            let number: UInt64
            do throws(IOFailure) { number = try spareLog.prepareFirst() } catch { throw error.storageError }
            let last = committer.nextSequence - 1
            do throws(StorageError) {
                try installLocked(
                    ManifestEdit([.logFloor(number), .newestLog(number), .lastSequence(last)] + time))
            } catch {
                // After a failed write of the manifest, the manifest may name the file.
                if error.code == .noSpace { discardFirst(spareLog) }
                throw error
            }
            let log: LogWriter
            do throws(IOFailure) {
                log = try spareLog.takeFirst(previous: LogPredecessor(number: 0, size: 0, lastSequence: last))
            } catch {
                throw error.storageError
            }
            committer.rotate(to: log, committer.memtable)
            viewCell.update { $0.writing(to: number) }
            isWithoutLog.store(false, ordering: .relaxed)
        }
        // Taken once: a removed name can't be removed again.
        let idle = idleLogs.withLock { logs in
            defer { logs = [] }
            return logs
        }
        for number in idle { obsoleteFiles.addLog(number, nil) }
    }

    /// Removes the file of the first log. If that fails the file only takes space until the next open.
    private func discardFirst(_ spareLog: SpareLog) {
        do { try spareLog.discardFirst() } catch { counters.backgroundFailures.add(1) }
    }

    /// Retires the memtable of a store that is closing. No log follows, so none is created. Under `committer.lock`,
    /// drained.
    func retireMemtable() throws(StorageError) {
        guard let old = committer.log else { return }
        let fresh: Memtable
        do { fresh = Memtable(arena: try arenas.take()) } catch { throw error.storageError }
        counters.retiredLogBytes.add(old.endOffset)
        committer.undurableLogs.append(old)
        committer.rotate(to: nil, fresh)
        viewCell.update { $0.rotated(to: fresh, log: 0) }
    }

    /// Rotates to a new memtable and log. If it throws, nothing has changed. Under `committer.lock`, drained.
    func rotate(bytes: Int, operations: Int) throws(StorageError) {
        guard let spareLog else { throw Committer.readOnlyError }
        guard let old = committer.log else { throw EngineCore.noLogError }
        do throws(IOFailure) {
            let arena = try arenas.take(forBatchBytes: bytes, operations: operations)
            let log = try spareLog.take(
                previous: LogPredecessor(
                    number: old.number, size: old.endOffset, lastSequence: committer.nextSequence - 1))
            let memtable = Memtable(arena: arena)
            counters.retiredLogBytes.add(old.endOffset)
            committer.undurableLogs.append(old)
            committer.rotate(to: log, memtable)
            viewCell.update { $0.rotated(to: memtable, log: log.number) }
        } catch {
            throw error.storageError
        }
    }
}
