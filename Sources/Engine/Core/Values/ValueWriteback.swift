import ShaleBase
import ShaleValues

/// The time of writing value files back.
extension EngineCore {
    /// True if value files have to become durable as fast as possible, because writers wait for them soon.
    var isWritingBack: Bool { viewCell.retained().immutables.count >= options.immutableMemtables }

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
            committer.valueWriters.values.filter { $0.unsyncedBytes >= separation.stepBytes }
                .min { $0.number < $1.number }
        }
    }
}
