import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform

extension Committer {
    /// Appends a batch and returns when it is durable and visible. False when the memtable has no room: nothing has happened.
    func commitSynced(
        _ batch: MutableBytes, _ operations: Int, _ check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) -> Bool {
        guard let base = try lockAndAppend(batch, operations, via: .written, check) else { return false }
        counters.syncedBatches &+= 1
        try joinGroup(batch.bytes, base, operations)
        return true
    }

    /// Waits with an appended batch for the sync that covers it, leading that sync if nobody else will. Called with
    /// `lock` held; returns with it released.
    func joinGroup(_ batch: Bytes, _ base: SequenceNumber, _ operations: Int) throws(StorageError) {
        let waits = isSyncing || !pending.isEmpty
        let member = CommitMember(
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

    /// Makes everything that is in the log now durable. Waiting members are served as by a leader.
    func syncLog() throws(StorageError) {
        try requireOwnProcess()
        lock.lock()
        // A running sync covers its members, not necessarily everything appended since it began. A thread that waits for
        // the end of a sync goes first, or callers of this function that follow each other would keep it waiting.
        while gate == nil, pending.isEmpty, isSyncing || drainWaiters > 0 { changed.wait() }
        if let gate {
            lock.unlock()
            throw gate
        }
        if log == nil, !isReadOnly {
            // Everything was durable before the store was served, or is being closed.
            lock.unlock()
            return
        }
        // Behind members, as a member without a batch: their leader does it. Otherwise not as a member, because buffered
        // batches would have to wait for it.
        if !pending.isEmpty { return try joinGroup(.empty, nextSequence, 0) }
        if let error = lead(nil, isMark: false) { throw error }
    }

    /// Syncs once, on behalf of every member appended so far. Called with `lock` held; returns with it released.
    private func lead(_ leader: CommitMember?, isMark: Bool) -> StorageError? {
        if let gate {
            lock.unlock()
            guard leader != nil else { return gate }
            return StorageError(.indeterminate, "the log failed before this write was durable", cause: gate.cause)
        }
        guard let log else {
            lock.unlock()
            return Committer.readOnlyError
        }
        isSyncing = true
        let target = log.endOffset
        let older = undurableLogs
        // The last to let go of a log closes its file: not under the lock, and not before the next leader has been woken.
        defer { withExtendedLifetime(older) {} }
        lock.unlock()
        var failure: IOFailure?
        do throws(IOFailure) {
            for old in older where !PlantedBug.isActive(.skipOldLogSync) {
                try old.sync()
            }
            try log.sync()
        } catch {
            failure = error
        }
        lock.lock()
        isSyncing = false
        // Also after a failure: `poison` does nothing once the gate has fallen, and `close` waits for this sync. Threads
        // that wait for `pending` to run empty find that done when the lock is free.
        changed.broadcast()
        counters.syncs &+= 1
        if let failure {
            // The leader is a member too, but returns the error itself instead of being woken.
            leader?.isPromoted = true
            poison(failure.storageError)
            lock.unlock()
            return StorageError(
                .indeterminate, "the log could not be made durable", cause: failure.storageError)
        }
        log.markSynced(through: target)
        undurableLogs.removeAll { old in older.contains { $0 === old } }
        if let gate, leader != nil {
            // Poisoned by another thread meanwhile: durable, but it can't be applied any more.
            lock.unlock()
            return StorageError(.indeterminate, "writing ended before this write was visible", cause: gate.cause)
        }
        let finished = log === self.log ? applyCovered(target) : []
        let next = pending.first
        next?.isPromoted = true
        // Chunks appended during the sync don't know of it: only a later one vouches for what was synced.
        needsMark = !isMark
        let wakes = takeNews()
        lock.unlock()
        // The next sync should start before the members of this one are woken.
        next?.finish(.lead)
        for member in finished where member !== leader { member.finish(.applied) }
        if wakes { changes.wake() }
        return nil
    }

    /// Under `lock`: applies the members that the finished sync of the current log covers, in order, and takes them off
    /// the list. (The log is rotated only while nothing is pending, so all members are in the current one.)
    private func applyCovered(_ target: UInt64) -> [CommitMember] {
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

    /// Under `lock`, with nothing pending and no sync running: makes every batch durable that control operations are about
    /// to follow. They are durable themselves on return, and without this a power loss could take batches from before them.
    ///
    /// A sync beside a leader's would not do. The kernel reports a failed writeback to one of two concurrent syncs of a
    /// file. If it told the leader, this one would succeed, and the control operation would follow batches that are lost.
    func makeDurable() throws(StorageError) {
        assert(!isSyncing || PlantedBug.isActive(.overlapSyncs))
        guard let log else {
            if isReadOnly { throw Committer.readOnlyError }
            return
        }
        let isCurrentDurable = memtable.entryCount == 0 || log.syncedOffset >= log.endOffset
        if isCurrentDurable, undurableLogs.isEmpty { return }
        do {
            for old in undurableLogs { try old.sync() }
            try log.sync()
        } catch {
            poison(error.storageError)
            throw gate ?? error.storageError
        }
        log.markSynced(through: log.endOffset)
        undurableLogs.removeAll()
        needsMark = true
        counters.syncs &+= 1
    }

    /// Bounds what a power loss can take of buffered batches: syncs if anything is not durable.
    func syncIfBuffered() throws(StorageError) {
        try requireOwnProcess()
        let isNeeded = lock.withLock {
            guard gate == nil, pending.isEmpty, !isSyncing, let log else { return false }
            return log.syncedOffset < log.endOffset || !undurableLogs.isEmpty
        }
        if isNeeded { try syncLog() }
    }

    /// Writes the mark chunk that vouches for the last synced chunk, when nothing else has followed it.
    func markIfIdle() throws(StorageError) {
        lock.lock()
        guard gate == nil, needsMark, !PlantedBug.isActive(.neverVouch), pending.isEmpty, !isSyncing, let log else {
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
