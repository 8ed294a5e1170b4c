import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

extension EngineCore {
    /// Rotates the memtable if it holds anything and waits until it and those that were full before it are segments. Not
    /// for those that writers fill meanwhile: that would take as long as they write.
    func flush() throws(StorageError) {
        _ = try writableManifest()
        let newest = try committer.exclusively { () throws(StorageError) in try rotateForFlush() }
        try waitForFlush(of: newest)
    }

    /// Under `committer.lock`, drained. Returns the newest of the memtables that a flush has to write now.
    func rotateForFlush() throws(StorageError) -> Memtable? {
        if committer.memtable.entryCount > 0 { try rotate(bytes: 0, operations: 0) }
        return viewCell.retained().immutables.first
    }

    /// Returns when `newest` and all older memtables are segments: they are flushed in order.
    func waitForFlush(of newest: Memtable?) throws(StorageError) {
        guard let background else { return }
        flushWaiters.add(1, ordering: .relaxed)
        defer { flushWaiters.subtract(1, ordering: .relaxed) }
        switch environment.scheduling {
        case .inline, .deferred: try background.runInline()
        case .threads:
            guard let newest else { return }
            let attempts = background.flushNow()
            try background.wait(for: \.flushFailures, after: attempts) {
                !viewCell.retained().immutables.contains { $0 === newest }
            }
        }
    }

    /// See ``Engine/close()``. The gate falls in the same step that rotates the last memtable, so nothing can be
    /// written behind it.
    func close() throws(StorageError) {
        // A child has neither the threads to be waited for nor the files to be finished.
        try committer.requireOwnProcess()
        try background?.requireOutsideOfProgress()
        // A second caller waits for the first, because what it is promised holds only when that has ended, and throws what the
        // first throws.
        let isFirst = closing.tryLock()
        if !isFirst { closing.lock() }
        defer { closing.unlock() }
        if !isFirst, let closingFailure { throw closingFailure }
        do throws(StorageError) {
            try closeAlone()
        } catch {
            closingFailure = error
            throw error
        }
    }

    /// Under `closing`. Does nothing if the engine is closed.
    private func closeAlone() throws(StorageError) {
        let closed = EngineCore.closedError
        var failure: StorageError?
        do throws(StorageError) {
            let newest = try committer.exclusively { () throws(StorageError) -> Memtable? in
                // Also when there is no memory for another memtable: as soon as the lock is free, writers could form a group.
                defer { committer.close(closed) }
                // Nothing follows it, so it needs no log to be rotated into.
                if committer.memtable.entryCount > 0 { try retireMemtable() }
                isWithoutLog.store(false, ordering: .relaxed)
                return viewCell.retained().immutables.first
            }
            if manifest != nil { try waitForFlush(of: newest) }
        } catch {
            if error.code == .closed { return }
            // What could not be flushed is in the log still, and the next open replays it.
            failure = error
            committer.lock.withLock { committer.close(closed) }
        }
        isClosed.store(true, ordering: .relaxed)
        scans.close()
        background?.stop()
        // What other threads have begun must end before the files are closed under it.
        background?.waitForManualWork()
        committer.waitForRunningSync()
        changeHub.stop()
        do throws(StorageError) {
            if let refusal = failure, isShortage(refusal) {
                failure = nil
                shortages.add(1)
            }
            if failure == nil { if hasImmutableMemtable { try leaveLogs() } else { try retireLog() } }
        } catch {
            failure = error
        }
        lock?.release()
        epochs.end()
        if let failure { throw failure }
    }

    /// There is no space for the memtables' segments: their logs stay in force, durable, for the next open to replay
    /// (contract D-7, E-3).
    private func leaveLogs() throws(StorageError) {
        guard let manifest else { return }
        try garbage.collectAll()
        let logs = committer.lock.withLock { committer.undurableLogs + [committer.log].compactMap { $0 } }
        do throws(IOFailure) {
            for log in logs.dropLast() { try log.sync() }
            try logs.last?.seal()
        } catch {
            throw error.storageError
        }
        if let newest = logs.last?.number, newest > manifest.state.newestLog {
            try unlessFull { () throws(StorageError) in
                try manifestLock.withLock { () throws(StorageError) in
                    try commit(ManifestEdit([.newestLog(newest)]), to: manifest)
                }
            }
        }
        try manifest.close()
        do throws(IOFailure) {
            try spareLog?.close()
            for log in logs { try log.close(truncating: true) }
        } catch {
            throw error.storageError
        }
    }

    /// Runs something that may be left out where there is no space for its edit. What a failed manifest holds nobody knows.
    private func unlessFull(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        do throws(StorageError) {
            try body()
        } catch {
            guard isShortage(error) else { throw error }
            shortages.add(1)
        }
    }

    /// All is in segments: records that no log is needed, and removes the empty one. It stays if there is no space for that.
    private func retireLog() throws(StorageError) {
        guard let manifest else { return }
        try garbage.collectAll()
        let time = clock.facts
        try manifestLock.withLock { () throws(StorageError) in
            let last = committer.nextSequence - 1
            if manifest.state.logFloor != 0 || manifest.state.lastSequence != last {
                try unlessFull { () throws(StorageError) in
                    try commit(ManifestEdit([.logFloor(0), .lastSequence(last)] + time), to: manifest)
                }
            }
            try manifest.close()
        }
        do throws(IOFailure) {
            try spareLog?.close()
            if let log = committer.log {
                try log.close(truncating: false)
                if manifest.state.logFloor == 0 { try directories.logs.remove(log.name) }
            }
        } catch {
            throw error.storageError
        }
    }

    /// The engine's last reference went without `close`: stop the threads and let go, as a killed process would.
    func abandon() {
        if committer.isInChild {
            // Nothing is undone that is the parent's: what a child has copies of ends with the child.
            _ = unsafe Unmanaged.passRetained(self)
            return
        }
        scans.close()
        background?.stop()
        changeHub.stop()
        lock?.release()
    }
}
