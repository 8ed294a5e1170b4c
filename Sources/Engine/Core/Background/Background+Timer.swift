import ShaleBase
import ShalePlatform

extension Background {
    /// The longest time that the last synced chunk stays without a later chunk that records its sync.
    private static let markDelay: UInt64 = 200_000_000

    /// The interval at which compaction looks for expired entries although nothing was written.
    private static let expiryDelay: UInt64 = 5_000_000_000

    /// Does the timed work: `syncInterval`, mark chunks, pressure that falls without an event, statistics for tools.
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

    /// Runs timed work, which has no caller, and sends its failure as an event.
    ///
    /// The errors of a poisoned or closed engine are not sent, because the next write reports them. Failed work is
    /// repeated by a later pass, or by the rotation that needs the next log.
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
