import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

extension EngineCore {
    /// Rotates the memtable if it holds anything and waits until all immutable ones are segments.
    func flush() throws(StorageError) {
        _ = try writableManifest()
        try committer.exclusively { () throws(StorageError) in
            if committer.memtable.entryCount > 0 { try rotate(bytes: 0, operations: 0) }
        }
        try drainImmutables()
    }

    func drainImmutables() throws(StorageError) {
        guard let background else { return }
        flushWaiters.add(1, ordering: .relaxed)
        defer { flushWaiters.subtract(1, ordering: .relaxed) }
        switch environment.scheduling {
        case .inline, .deferred: try background.runInline()
        case .threads:
            let attempts = background.flushNow()
            try background.wait(for: \.flushFailures, after: attempts) { !hasImmutableMemtable }
        }
    }

    /// See ``Engine/close()``. The gate falls in the same step that rotates the last memtable, so nothing can be
    /// written behind it.
    func close() throws(StorageError) {
        // A child has neither the threads to be waited for nor the files to be finished.
        try committer.requireOwnProcess()
        try background?.requireOutsideOfProgress()
        let closed = EngineCore.closedError
        var failure: StorageError?
        do throws(StorageError) {
            try committer.exclusively { () throws(StorageError) in
                if committer.memtable.entryCount > 0 { try rotate(bytes: 0, operations: 0) }
                committer.gate = closed
            }
            if manifest != nil { try drainImmutables() }
        } catch {
            if error.code == .closed { return }
            // What could not be flushed is in the log still, and the next open replays it.
            failure = error
            committer.lock.withLock { committer.gate = closed }
        }
        isClosed.store(true, ordering: .relaxed)
        scans.close()
        background?.stop()
        // What other threads have begun must end before the files are closed under it.
        background?.waitForManualWork()
        committer.waitForRunningSync()
        changeHub.stop()
        do throws(StorageError) {
            if failure == nil { try retireLog() }
        } catch {
            failure = error
        }
        lock?.release()
        if let failure { throw failure }
    }

    /// All is in segments: records that no log is needed, and removes the empty one.
    private func retireLog() throws(StorageError) {
        guard let manifest else { return }
        try garbage.collectAll()
        try manifestLock.withLock { () throws(StorageError) in
            try manifest.commit(
                ManifestEdit([.logFloor(0), .lastSequence(committer.nextSequence - 1), .clockFloor(clock.now)]))
            try manifest.close()
        }
        do throws(IOFailure) {
            try spareLog?.close()
            if let log = committer.log {
                try log.close(truncating: false)
                try directories.logs.remove(log.name)
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
