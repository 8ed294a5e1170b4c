import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Makes room in the memtable for `bytes` of `operations`, by rotating it together with its log: one memtable, one log.
    /// Waits for flushes and L0 compactions first when too much waits for them. `stalled`: when the write began to wait,
    /// which counts for its deadline however often it comes here.
    func makeRoom(bytes: Int, operations: Int, _ stalled: inout UInt64?) throws(StorageError) {
        while true {
            try waitForRelief(&stalled)
            let done = try committer.exclusively { () throws(StorageError) -> Bool in
                if committer.memtable.hasRoom(bytes: bytes, operations: operations) { return true }
                if isStopped { return false }
                try rotate(bytes: bytes, operations: operations)
                return true
            }
            if done { break }
        }
        background?.wake()
        updatePressure()
        if case .inline = environment.scheduling { try background?.runInline() }
    }

    /// Whether a rotation would pile up more than background work may owe.
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

    /// Under `committer.lock`, drained. Nothing has changed when this throws.
    func rotate(bytes: Int, operations: Int) throws(StorageError) {
        guard let old = committer.log, let spareLog else { throw Committer.readOnlyError }
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
