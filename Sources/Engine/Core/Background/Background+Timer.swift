import ShaleBase
import ShalePlatform

extension Background {
    /// How long the last synced chunk may stand without a successor that vouches for it.
    private static let markDelay: UInt64 = 200_000_000

    /// How often compaction looks for what has expired without anything having been written.
    private static let expiryDelay: UInt64 = 5_000_000_000

    /// Timed work: `syncInterval`, mark chunks, pressure that falls without an event, statistics for tools.
    func timerLoop() {
        var publisher = StatisticsPublisher(core)
        defer { publisher.end() }
        var watch = PinReporter()
        let tick: UInt64 = 50_000_000
        var lastSync = core.clock.monotonicNanoseconds
        var lastMark = lastSync
        var lastWake = lastSync
        lock.lock()
        while !isStopping {
            _ = changed.timedWait(nanoseconds: tick)
            if isStopping { break }
            lock.unlock()
            let now = core.clock.monotonicNanoseconds
            core.domain.collect()
            watch.look(core)
            core.reportClock()
            report { () throws(StorageError) in try core.maintain() }
            if let interval = core.options.syncInterval?.nanoseconds, now - lastSync >= interval {
                lastSync = now
                report { () throws(StorageError) in try core.committer.syncIfBuffered() }
            }
            if now - lastMark >= Background.markDelay {
                lastMark = now
                report { () throws(StorageError) in try core.committer.markIfIdle() }
            }
            if core.pacer.isActive { core.updatePressure() }
            publisher.publishIfDue()
            tellOfSpace()
            if now - lastWake >= Background.expiryDelay {
                lastWake = now
                wake()
            }
            lock.lock()
        }
        lock.unlock()
    }

    /// Timed work has no caller. Its failures have poisoned the log, which the next write reports too, or left the log's
    /// successor to be made by the rotation that needs it.
    func report(_ work: () throws(StorageError) -> Void) {
        do {
            try work()
        } catch {
            guard error.code != .poisoned, error.code != .closed else { return }
            core.counters.backgroundFailures.add(1)
            core.events.send(.backgroundFailure(error))
        }
    }
}
