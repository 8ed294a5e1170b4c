import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform

extension Committer {
    /// Appends a batch and returns when it is durable and visible. Returns false if the memtable has no room; then
    /// nothing has changed.
    func commitSynced(
        _ batch: MutableBytes, _ operations: Int, _ values: LargeValues? = nil,
        _ check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) -> Bool {
        guard let base = try lockAndAppend(batch, operations, values, via: .written, check) else { return false }
        counters.syncedBatches &+= 1
        try joinGroup(batch.bytes, base, operations)
        return true
    }

    /// Waits until an appended batch is synced and visible, and leads the sync if no other member does. Called with
    /// `lock` held; returns with it released.
    func joinGroup(_ batch: Bytes, _ base: SequenceNumber, _ operations: Int) throws(StorageError) {
        let waits = isSyncing || !pending.isEmpty
        let member = PendingCommit(
            batch: batch, baseSequence: base, operationCount: operations, endOffset: log?.endOffset ?? 0, waits: waits)
        pending.append(member)
        pendingBytes += batch.count
        pendingOperations += operations
        if waits {
            lock.unlock()
            switch member.wait() {
            case .applied: return
            case .failed(let error): throw error
            case .lead: lock.lock()
            }
        }
        if let error = lead(member, isMark: false) { throw error }
    }

    /// Makes the present content of the log durable. Serves waiting members like any leader.
    func syncLog() throws(StorageError) {
        try requireOwnProcess()
        lock.lock()
        // A running sync covers its members, not everything appended since it began, so this call waits for its end.
        // Threads in `drainWaiters` go first, or consecutive callers of this function could starve them.
        let mayRelyOnRunning = PlantedBug.isActive(.relyOnRunningSync) && isSyncing && pending.isEmpty
        while terminalError == nil, pending.isEmpty, isSyncing || drainWaiters > 0 { changed.wait() }
        if mayRelyOnRunning, terminalError == nil {
            lock.unlock()
            return
        }
        if let terminalError {
            lock.unlock()
            throw terminalError
        }
        if log == nil, !isReadOnly {
            // Before the store was served and while it closes, everything is durable.
            lock.unlock()
            return
        }
        // If members wait, this call joins them without a batch and their leader syncs. Otherwise it does not become a
        // member, because buffered batches would have to wait for it.
        if !pending.isEmpty { return try joinGroup(.empty, nextSequence, 0) }
        if let error = lead(nil, isMark: false) { throw error }
    }

    /// Syncs once for every member appended so far. Called with `lock` held; returns with it released.
    private func lead(_ leader: PendingCommit?, isMark: Bool) -> StorageError? {
        if let terminalError {
            lock.unlock()
            guard leader != nil else { return terminalError }
            return StorageError(
                .indeterminate, "the log failed before this write was durable", cause: terminalError.cause)
        }
        guard let log else {
            lock.unlock()
            return Committer.readOnlyError
        }
        isSyncing = true
        let target = log.endOffset
        let older = undurableLogs
        // The last reference to a log closes its file. Keep it until the lock is released and the next leader is woken.
        defer { withExtendedLifetime(older) {} }
        lock.unlock()
        var failure: IOFailure?
        do throws(IOFailure) {
            for old in older where !PlantedBug.isActive(.skipOldLogSync) { try old.sync() }
            try log.sync()
        } catch {
            failure = error
        }
        lock.lock()
        isSyncing = false
        // After a failure too: `poison` does nothing once `terminalError` is set, and `close` waits for this sync.
        // Threads that wait for an empty `pending` run after the lock is released, when it is empty.
        if !PlantedBug.isActive(.loseSyncEnd) { changed.broadcast() }
        counters.syncs &+= 1
        if let failure {
            // The leader is a member too, but returns the error itself instead of being woken.
            leader?.isPromoted = true
            poison(failure.storageError)
            lock.unlock()
            return StorageError(.indeterminate, "the log could not be made durable", cause: failure.storageError)
        }
        log.markSynced(through: PlantedBug.isActive(.markBehindTarget) ? log.endOffset : target)
        undurableLogs.removeAll { old in PlantedBug.isActive(.forgetUndurableLogs) || older.contains { $0 === old } }
        if let terminalError, leader != nil {
            // Another thread has poisoned the committer meanwhile: the batch is durable but can't be applied.
            lock.unlock()
            return StorageError(
                .indeterminate, "writing ended before this write was visible", cause: terminalError.cause)
        }
        let covered = PlantedBug.isActive(.applyBehindTarget) ? log.endOffset : target
        let finished = log === self.log ? applyCovered(covered) : []
        let next = pending.first
        next?.isPromoted = true
        // Chunks appended during the sync don't record it. Only a later chunk can.
        needsMark = !isMark
        let wakes = takeWakeup()
        lock.unlock()
        // The next sync starts before the members of this one are woken.
        if !PlantedBug.isActive(.losePromotion) { next?.finish(.lead) }
        for member in finished where member !== leader { member.finish(.applied) }
        if wakes { changes.wake() }
        return nil
    }

    /// Applies the members that the finished sync of the current log covers, in order, and removes them from `pending`.
    /// Under `lock`. All members are in the current log, because it is rotated only while nothing is pending.
    private func applyCovered(_ target: UInt64) -> [PendingCommit] {
        var count = 0
        while count < pending.count, pending[count].endOffset <= target {
            let member = pending[count]
            if member.operationCount > 0 { apply(member.batch, member.baseSequence, member.operationCount) }
            pendingBytes -= member.batch.count
            pendingOperations -= member.operationCount
            count += 1
        }
        let finished = Array(pending[0..<count])
        pending.removeFirst(count)
        return finished
    }

    /// Makes every batch durable that a control operation is about to follow. Under `lock`, with nothing pending and no
    /// sync running.
    ///
    /// The control operation itself is durable on return. Without this call a power loss could take batches from before
    /// it.
    ///
    /// No other sync may run beside this one:
    /// 1. The kernel reports a failed writeback to one of two concurrent syncs of a file.
    /// 2. If it reported the failure to the other sync, this one would succeed.
    /// 3. The control operation would then follow batches that are lost.
    func makeDurable() throws(StorageError) {
        assert(!isSyncing || PlantedBug.isActive(.overlapSyncs))
        guard let log else {
            if isReadOnly { throw Committer.readOnlyError }
            return
        }
        let isCurrentDurable = memtable.entryCount == 0 || log.syncedOffset >= log.endOffset
        if isCurrentDurable, undurableLogs.isEmpty || PlantedBug.isActive(.controlIgnoresOldLogs) { return }
        do {
            for old in undurableLogs { try old.sync() }
            try log.sync()
        } catch {
            poison(error.storageError)
            throw terminalError ?? error.storageError
        }
        log.markSynced(through: log.endOffset)
        undurableLogs.removeAll()
        needsMark = true
        counters.syncs &+= 1
    }

    /// Syncs if anything is not durable, which bounds the loss of buffered batches in a power failure.
    func syncIfBuffered() throws(StorageError) {
        try requireOwnProcess()
        let isNeeded = lock.withLock {
            guard terminalError == nil, pending.isEmpty, !isSyncing, let log else { return false }
            return isUndurable(log)
        }
        if isNeeded { try syncLog() }
    }

    /// True if ``syncLog()`` would wait for the disk or for another thread.
    var syncWaits: Bool {
        lock.withLock {
            guard terminalError == nil, let log else { return false }
            return !pending.isEmpty || isSyncing || isUndurable(log)
        }
    }

    /// True if a batch in the logs may not be durable. Under `lock`.
    private func isUndurable(_ log: LogWriter) -> Bool {
        log.syncedOffset < log.endOffset || !undurableLogs.isEmpty
    }

    /// Writes a mark chunk that records the last sync, if no other chunk has followed that sync.
    func markIfIdle() throws(StorageError) {
        lock.lock()
        guard terminalError == nil, needsMark, !PlantedBug.isActive(.neverWitness), pending.isEmpty, !isSyncing, let log
        else {
            lock.unlock()
            return
        }
        needsMark = false
        do {
            try log.appendMark()
        } catch {
            if log.failure != nil { poison(error.storageError) }
            lock.unlock()
            throw error.storageError
        }
        if let error = lead(nil, isMark: true) { throw error }
    }
}

/// A batch that waits for its sync, together with the thread that waits.
final class PendingCommit: @unchecked Sendable {
    enum Outcome {
        case applied
        case failed(StorageError)
        /// The batch is unchanged: the member leads the next sync.
        case lead
    }

    /// The batch in wire form. The waiting thread's stack frame owns the bytes.
    let batch: Bytes
    let baseSequence: SequenceNumber
    let operationCount: Int
    /// The log's end offset after this batch.
    let endOffset: UInt64

    /// True once the member was told to lead the next sync and is about to take the committer's lock. Under that lock.
    var isPromoted = false

    /// Nil for the member that leads at once.
    private let parker: Parker?
    /// The leader writes it before it unparks the owner, and the owner reads it after. The parker orders the two.
    private var outcome: Outcome = .lead

    init(batch: Bytes, baseSequence: SequenceNumber, operationCount: Int, endOffset: UInt64, waits: Bool) {
        self.batch = batch
        self.baseSequence = baseSequence
        self.operationCount = operationCount
        self.endOffset = endOffset
        parker = waits ? Parker() : nil
    }

    /// Sets the outcome and wakes the member. Called once by the leader, or twice if the first outcome is `.lead`.
    func finish(_ outcome: Outcome) {
        self.outcome = outcome
        parker?.unpark()
    }

    func wait() -> Outcome {
        parker?.park()
        return outcome
    }
}
