import ShaleBase
import ShaleLog
import ShalePlatform

/// Making and deleting files, which takes as long as the file system likes.
extension Background {
    /// A thread of its own, because making a log's name durable can take as long as any sync, and the next rotation must
    /// not wait for it behind other work.
    func logSpaceLoop() {
        guard let attention = core.spareLog?.attention else { return }
        var pace = LogPace()
        while !lock.withLock({ isStopping }) {
            let activity = pace.observe(core.writtenLogBytes, at: core.clock.monotonicNanoseconds)
            report { () throws(StorageError) in try core.recordNewestLog() }
            report { () throws(StorageError) in try core.keepLogSpace(activity) }
            _ = attention.park(nanoseconds: LogPace.periodNanoseconds / 2)
        }
    }

    /// A thread of its own too: giving the blocks of a large file back can take longer than writing it, and neither
    /// flushes nor timed syncs may be late for it.
    func removalLoop() {
        lock.lock()
        while !isStopping {
            lock.unlock()
            report { () throws(StorageError) in
                guard !core.garbage.isEmpty else { return }
                try core.garbage.collect()
                if isOutOfSpace { spaceMayHaveReturned() }
            }
            lock.lock()
            if isStopping { break }
            // What adds to the garbage wakes all threads afterwards; that somebody has let go of a file is not announced.
            if core.garbage.isEmpty { changed.wait() } else { _ = changed.timedWait(nanoseconds: 50_000_000) }
        }
        lock.unlock()
    }
}
