import ShaleBase
import ShaleLog
import ShalePlatform
import ShaleSegment

extension Background {
    /// The longest time that the last synced chunk stays without a later chunk that records its sync.
    private static let markDelay: UInt64 = 200_000_000

    /// The interval at which compaction looks for expired entries although nothing was written.
    private static let expiryDelay: UInt64 = 5_000_000_000

    /// The interval at which the engine looks for requests of other processes.
    private static let requestDelay: UInt64 = 500_000_000

    /// Does the timed work: `syncInterval`, mark chunks, pressure that falls without an event, statistics for tools.
    func timerLoop() {
        var publisher = StatisticsPublisher(core)
        defer { publisher.end() }
        var pinReporter = PinReporter()
        let tick: UInt64 = 50_000_000
        var lastSync = core.clock.monotonicNanoseconds
        var lastMark = lastSync
        var lastWake = lastSync
        var lastLook = lastSync
        lock.lock()
        while !isStopping {
            _ = changed.timedWait(nanoseconds: tick)
            if isStopping { break }
            lock.unlock()
            let now = core.clock.monotonicNanoseconds
            core.domain.collect()
            pinReporter.check(core)
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
            if now - lastLook >= Background.requestDelay {
                lastLook = now
                report { () throws(StorageError) in try serveRequests() }
            }
            reportSpace()
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

/// Creating and deleting files, which can block for as long as the file system needs.
extension Background {
    /// Keeps space in the current log and the next one until the engine stops.
    ///
    /// This loop has its own thread. Making a log's name durable can take as long as any sync, and the next rotation
    /// must not wait for it behind other work.
    func logSpaceLoop() {
        guard let wakeup = core.spareLog?.wakeup else { return }
        var writeActivity = WriteActivity()
        while !lock.withLock({ isStopping }) {
            let activity = writeActivity.observe(core.writtenLogBytes, at: core.clock.monotonicNanoseconds)
            report { () throws(StorageError) in try core.recordNewestLog() }
            report { () throws(StorageError) in try core.keepLogSpace(activity) }
            _ = wakeup.park(nanoseconds: WriteActivity.periodNanoseconds / 2)
        }
    }

    /// Starts the thread that syncs growing value files, unless it runs.
    func startValueSyncs() throws(IOFailure) {
        guard case .threads = core.environment.scheduling, let wakeup = core.committer.separation?.wakeup else {
            return
        }
        try lock.withLock { () throws(IOFailure) in
            guard !isStopping, !syncsValues else { return }
            threads.append(try WorkerThread.start(name: "shale-values") { [self] in valueSyncLoop(wakeup) })
            syncsValues = true
        }
    }

    /// Makes growing value files durable in steps, while writers may soon wait for them, until the engine stops.
    ///
    /// This loop has its own thread: a step takes as long as the disk, and a flush must not wait for that of a younger
    /// file. A rotation wakes it. Appends don't: waking a thread costs as much as a small value.
    func valueSyncLoop(_ wakeup: Parker) {
        while !lock.withLock({ isStopping }) {
            report { () throws(StorageError) in while core.isWritingBack, try core.syncGrownValue() {} }
            if core.isWritingBack {
                _ = wakeup.park(nanoseconds: Background.growthPause)
            } else {
                wakeup.park()
            }
        }
    }

    /// The interval at which value files are checked for growth, while writers may soon wait.
    private static var growthPause: UInt64 { 5_000_000 }

    /// Deletes obsolete files until the engine stops.
    ///
    /// This loop has its own thread. Freeing the blocks of a large file can take longer than writing them, and must
    /// delay neither flushes nor timed syncs.
    func removalLoop() {
        lock.lock()
        while !isStopping {
            lock.unlock()
            report { () throws(StorageError) in
                guard !core.obsoleteFiles.isEmpty else { return }
                try core.obsoleteFiles.collect()
                if isOutOfSpace { spaceMayHaveReturned() }
            }
            lock.lock()
            if isStopping { break }
            // Adding an obsolete file wakes all threads. Releasing a file's last user wakes none, so the loop polls.
            if let pause = core.obsoleteFiles.pause {
                _ = changed.timedWait(nanoseconds: pause)
            } else {
                changed.wait()
            }
        }
        lock.unlock()
    }
}

extension EngineCore {
    /// Does small timed work that may fail and is retried.
    func maintain() throws(StorageError) {
        segmentEnvironment.cache.trim()
        do { try reserve?.refill(at: clock.monotonicNanoseconds) } catch { throw error.storageError }
    }
}

/// Reports each long call once. Only the timer thread uses it.
struct PinReporter {
    /// The age at which a call is reported. A call takes microseconds, or as long as a read from the disk. A call that
    /// lends entries to its caller takes as long as the caller's code.
    static let limitNanoseconds: UInt64 = 10_000_000_000

    private var isReported = false

    mutating func check(_ core: EngineCore) {
        let age = core.domain.observePins(at: core.clock.monotonicNanoseconds)
        guard age >= PinReporter.limitNanoseconds else {
            isReported = false
            return
        }
        guard !isReported else { return }
        isReported = true
        core.counters.longPins.add(1)
        core.events.send(.pinHeld(for: .nanoseconds(age), retiredBytes: core.domain.retiredBytes))
    }
}
