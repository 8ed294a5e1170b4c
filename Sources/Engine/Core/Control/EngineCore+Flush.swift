import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

extension EngineCore {
    /// Rotates the memtable if it is not empty, and waits until it and all older memtables are segments. It does not
    /// wait for memtables that writers fill meanwhile, which could take as long as they write.
    func flush() throws(StorageError) {
        _ = try writableManifest()
        let newest = try committer.exclusively { () throws(StorageError) in try rotateForFlush() }
        try waitForFlush(of: newest)
    }

    /// Rotates the memtable if it is not empty. Returns the newest memtable to flush. Under `committer.lock`, drained.
    func rotateForFlush() throws(StorageError) -> Memtable? {
        if committer.memtable.entryCount > 0 { try rotate(bytes: 0, operations: 0) }
        return viewCell.retained().immutables.first
    }

    /// Waits until `newest` and all older memtables are segments. Memtables are flushed in order.
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
                if PlantedBug.isActive(.awaitLaterMemtables) { return viewCell.retained().immutables.isEmpty }
                return !viewCell.retained().immutables.contains { $0 === newest }
            }
        }
    }

    /// Closes the engine: see ``Engine/close()``. `terminalError` is set in the same step that retires the last
    /// memtable, so no write can follow.
    ///
    /// - Parameter releasingFiles: True to also give up the segments, though the engine stays referenced.
    func close(releasingFiles: Bool = false) throws(StorageError) {
        // A child process has neither the threads to wait for nor the files to complete.
        try committer.requireOwnProcess()
        try background?.requireOutsideOfProgress()
        // A second caller waits for the first, because the promises of `close` hold only after the first call has
        // ended. It throws the same error as the first.
        let isFirst = closing.tryLock()
        if !isFirst, PlantedBug.isActive(.closeBesideClose) { return }
        if !isFirst { closing.lock() }
        defer { closing.unlock() }
        if !isFirst, let closingFailure { throw closingFailure }
        do throws(StorageError) {
            try closeAlone(releasingFiles)
        } catch {
            closingFailure = error
            throw error
        }
    }

    /// Closes the engine unless it is closed. Under `closing`.
    private func closeAlone(_ releasesFiles: Bool) throws(StorageError) {
        let closed = EngineCore.closedError
        var failure: StorageError?
        do throws(StorageError) {
            let newest = try committer.exclusively { () throws(StorageError) -> Memtable? in
                // Also if there is no memory for another memtable: once the lock is released, writers could form a
                // group.
                defer { committer.close(closed) }
                // No write follows, so no new log is needed.
                if committer.memtable.entryCount > 0 { try retireMemtable() }
                isWithoutLog.store(false, ordering: .relaxed)
                return viewCell.retained().immutables.first
            }
            if manifest != nil { try waitForFlush(of: newest) }
        } catch {
            if error.code == .closed { return }
            // Entries that could not be flushed are still in the log, and the next open replays them.
            failure = error
            committer.lock.withLock { committer.close(closed) }
        }
        gate.close()
        scans.close()
        background?.stop()
        // Work of other threads must end before the files are closed.
        background?.waitForManualWork()
        committer.waitForRunningSync()
        openValueWriters.close()
        changeHub.stop()
        followers.endAll()
        do throws(StorageError) {
            if let refusal = failure, isShortage(refusal) {
                failure = nil
                shortages.add(1)
            }
            if failure == nil { if hasImmutableMemtable { try leaveLogs() } else { try retireLog() } }
        } catch {
            failure = error
        }
        if releasesFiles { releaseSegments() }
        if !releasesFiles || !PlantedBug.isActive(.keepLockSuspended) { lock?.release() }
        if let followed { followed.hold?.end() } else { epochs.end() }
        events.finish()
        if let failure { throw failure }
    }

    /// Gives up the files and mappings of all segments that no cursor uses.
    ///
    /// A read that has begun may take the empty view. It checks afterwards that the engine is open, because the gate
    /// was closed before.
    private func releaseSegments() {
        scans.removeAll()
        manifestLock.withLock { manifest?.releaseSegments() }
        viewCell.update { View(mutable: $0.mutable, immutables: [], version: .empty, logs: [0]) }
        _ = domain.quiesce(within: EngineCore.readEndNanoseconds)
    }

    /// The longest wait for reads that have begun. One takes microseconds, or as long as the disk.
    private static let readEndNanoseconds: UInt64 = 1_000_000_000

    /// Closes without space for the memtables' segments: makes their logs durable and keeps them, so that the next open
    /// replays them (contract D-7, E-3).
    private func leaveLogs() throws(StorageError) {
        guard let manifest else { return }
        try obsoleteFiles.collectAll()
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

    /// Runs `body`, whose edit may be omitted if there is no space for it. Other failures are thrown, because a failed
    /// manifest has unknown content.
    private func unlessFull(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        do throws(StorageError) {
            try body()
        } catch {
            guard isShortage(error) else { throw error }
            shortages.add(1)
        }
    }

    /// Closes after all entries are in segments: records that no log is needed, and removes the empty log. If there is
    /// no space for the record, the log stays.
    private func retireLog() throws(StorageError) {
        guard let manifest else { return }
        try obsoleteFiles.collectAll()
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
                if manifest.state.logFloor == 0 { obsoleteFiles.addLog(log.number, nil) }
            }
        } catch {
            throw error.storageError
        }
        try obsoleteFiles.collect()
    }

    /// Stops the threads and releases the lock, as if the process were killed. Called if the engine's last reference is
    /// released without `close`.
    func abandon() {
        if committer.isInChild {
            // The child must not undo anything of the parent's. Its copies end with the process.
            _ = unsafe Unmanaged.passRetained(self)
            return
        }
        scans.close()
        background?.stop()
        openValueWriters.close()
        changeHub.stop()
        lock?.release()
    }
}
