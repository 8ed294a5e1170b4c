import ShaleBase
import ShaleMemtable
import ShaleValues
import Synchronization

/// The time of writing value files back.
///
/// The file system takes large values as fast as memory. Writing them back at the same time takes processors and memory
/// from the writers, and slows them by half. So a burst of large values is written back when it is over, or when it has
/// filled its share of value files, whichever comes first.
extension EngineCore {
    /// The longest deferral of a flush.
    private static let deferralNanoseconds: UInt64 = 1_000_000_000

    /// True if value files have to become durable as fast as possible, because writers wait for them soon.
    var isWritingBack: Bool { viewCell.retained().immutables.count >= options.immutableMemtables }

    /// Begins the deferral of the first full memtable. Called after a rotation.
    func beginDeferral() {
        guard committer.separation != nil, viewCell.retained().immutables.count == 1 else { return }
        flushDeferredUntil.store(
            clock.monotonicNanoseconds + EngineCore.deferralNanoseconds, ordering: .relaxed)
    }

    /// The time in nanoseconds for which the flush of the oldest memtable may still be deferred: it is full only
    /// because its value file is, nobody waits for it, and there is room for another one.
    func flushDeferral(at now: UInt64) -> UInt64 {
        let until = flushDeferredUntil.load(ordering: .relaxed)
        guard until > now, !isWritingBack, flushWaiters.load(ordering: .relaxed) == 0,
            let oldest = viewCell.retained().immutables.last, oldest.valueFiles?.own != nil,
            oldest.allocatedBytes <= options.memtableBytes / 4
        else { return 0 }
        return until - now
    }

    /// Makes the oldest value file durable that has grown by ``ValueSeparation/stepBytes`` since its last sync. Returns
    /// false if there is none.
    ///
    /// So the next flush finds little left to sync, and the disk always has work. Decides nothing: what a step has not
    /// synced, the flush syncs.
    func syncGrownValue() throws(StorageError) -> Bool {
        guard let writer = grownValues else { return false }
        let began = clock.monotonicNanoseconds
        try sync(writer)
        let elapsed = clock.monotonicNanoseconds - began
        committer.lock.withLock { writer.stepNanoseconds += elapsed }
        return true
    }

    /// The oldest value file with a step to sync.
    private var grownValues: ValueFileWriter? {
        guard let separation = committer.separation else { return nil }
        return committer.lock.withLock {
            // After a failure nothing is synced again.
            guard committer.terminalError == nil else { return nil }
            return committer.valueWriters.values.filter { $0.unsyncedBytes >= separation.stepBytes }
                .min { $0.number < $1.number }
        }
    }
}
