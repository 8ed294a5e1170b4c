import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

extension EngineCore {
    /// The number of bytes written to logs since the engine was opened.
    var writtenLogBytes: UInt64 {
        committer.lock.withLock { counters.retiredLogBytes.current + (committer.log?.endOffset ?? 0) }
    }

    /// Records the current log in the manifest, so that recovery notices if its file is lost.
    ///
    /// Flushes record it too; this covers the time until the next flush. The log's name has been durable since its
    /// creation.
    func recordNewestLog() throws(StorageError) {
        let manifest = try writableManifest()
        let number = viewCell.retained().logs[0]
        do throws(StorageError) {
            try manifestLock.withLock { () throws(StorageError) in
                guard manifest.state.newestLog < number, !manifest.hasFailed else { return }
                if PlantedBug.isActive(.forgetNewestLog) { return }
                try commit(ManifestEdit([.newestLog(number)]), to: manifest)
            }
        } catch {
            if manifest.hasFailed { committer.lock.withLock { committer.poison(error) } }
            // An edit that a full disk refused has no effect. The next pass or a flush repeats it.
            guard error.code == .noSpace else { throw error }
        }
    }

    /// Adjusts the space that is reserved for the current log and the next one.
    ///
    /// Busy writers get a memtable's worth ahead, so that they don't wait for the file system. Slow writers get one
    /// step ahead, and an idle store keeps next to nothing. One thread at a time.
    func keepLogSpace(_ activity: WriteActivity.Level) throws(StorageError) {
        guard let spareLog, let log = committer.lock.withLock({ committer.log }) else { return }
        do throws(IOFailure) {
            switch activity {
            case .none: try log.trimSpace(ifOver: 0, under: committer.lock)
            case .slow:
                try log.reserveAhead(upTo: spareLog.fullBytes, all: false, under: committer.lock)
                try log.trimSpace(ifOver: EngineCore.logSlackBytes, under: committer.lock)
            case .busy: try log.reserveAhead(upTo: spareLog.fullBytes, all: true, under: committer.lock)
            }
        } catch {
            // When a whole log no longer fits, each append reserves what it needs and gets the error itself.
            guard error.isOutOfSpace else { throw error.storageError }
        }
        try spareLog.refill(activity)
    }

    /// The excess space that a log in use may keep. It is larger than one step, or each step would be freed as soon as
    /// it was reserved.
    private static let logSlackBytes: UInt64 = 16 << 20
}

/// Measures how fast writers fill logs, to decide how much space to reserve ahead of them.
struct WriteActivity {
    enum Level {
        /// Nothing was written for at least a period.
        case none
        case slow
        case busy
    }

    /// The shortest time without a write after which a store is idle.
    static let periodNanoseconds: UInt64 = 200_000_000

    /// Busy writers fill at least this much in a period: 5 MiB/s.
    static let busyBytes: UInt64 = 1 << 20

    private var level = Level.slow
    /// The bytes written when the current measurement began, and its time; nil before the first call.
    private var measurement: (written: UInt64, began: UInt64)?

    /// Returns the present level. A measurement ends after one period, or earlier when much was written.
    ///
    /// - Parameter written: The number of bytes written to logs since the engine was opened.
    mutating func observe(_ written: UInt64, at nanoseconds: UInt64) -> Level {
        guard let measurement else {
            measurement = (written, nanoseconds)
            return level
        }
        let (bytes, elapsed) = (written &- measurement.written, nanoseconds &- measurement.began)
        if level == .none, bytes > 0 { level = .slow }
        guard bytes >= WriteActivity.busyBytes || elapsed >= WriteActivity.periodNanoseconds else { return level }
        let isBusy =
            Double(bytes) / Double(WriteActivity.busyBytes) >= Double(elapsed) / Double(WriteActivity.periodNanoseconds)
        level = isBusy ? .busy : bytes > 0 ? .slow : .none
        self.measurement = (written, nanoseconds)
        return level
    }
}
