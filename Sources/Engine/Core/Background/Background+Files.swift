import ShaleBase
import ShaleLog
import ShalePlatform

/// Creating and deleting files, which can block for as long as the file system needs.
extension Background {
    /// Keeps space in the current log and the next one until the engine stops.
    ///
    /// This loop has its own thread. Making a log's name durable can take as long as any sync, and the next rotation
    /// must not wait for it behind other work.
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

    /// Deletes obsolete files until the engine stops.
    ///
    /// This loop has its own thread. Freeing the blocks of a large file can take longer than writing them, and must
    /// delay neither flushes nor timed syncs.
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
            // Adding an obsolete file wakes all threads. Releasing a file's last user wakes none, so the loop polls
            // every 50 ms.
            if core.garbage.isEmpty { changed.wait() } else { _ = changed.timedWait(nanoseconds: 50_000_000) }
        }
        lock.unlock()
    }
}
