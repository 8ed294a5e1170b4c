import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

extension EngineCore {
    /// Bytes that have gone into logs since the engine was opened.
    var writtenLogBytes: UInt64 {
        committer.lock.withLock { counters.retiredLogBytes.current + (committer.log?.endOffset ?? 0) }
    }

    /// Lets the manifest know the log that is being written, so that the loss of its file is noticed. Flushes do it too; this is
    /// for the time until then. The log's name is durable since it was made.
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
            // An edit that a full disk refused has not happened: the next pass, or a flush, does it.
            guard error.code == .noSpace else { throw error }
        }
    }

    /// Gives the current log and the next one the space that they should have: a memtable's worth ahead of busy writers, so
    /// that none of these waits for the file system, some ahead of others, and next to none in a store that nobody writes
    /// to. One thread at a time.
    func keepLogSpace(_ activity: LogPace.Activity) throws(StorageError) {
        guard let spareLog, let log = committer.lock.withLock({ committer.log }) else { return }
        do throws(IOFailure) {
            switch activity {
            case .none: try log.giveBackSpace(ifOver: 0, under: committer.lock)
            case .slow:
                try log.reserveAhead(upTo: spareLog.fullBytes, all: false, under: committer.lock)
                try log.giveBackSpace(ifOver: EngineCore.logSlackBytes, under: committer.lock)
            case .busy: try log.reserveAhead(upTo: spareLog.fullBytes, all: true, under: committer.lock)
            }
        } catch {
            // Where the space of a whole log does not fit any more, each append asks for what it needs, and is told.
            guard error.isOutOfSpace else { throw error.storageError }
        }
        try spareLog.refill(activity)
    }

    /// What a log may have too much while it is written to: more than it is given at a time, or each step would be given
    /// back as soon as it was made.
    private static let logSlackBytes: UInt64 = 16 << 20
}
