import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

extension Committer {
    /// Commits one put or delete without building a batch: encodes the operation into the log's frame and applies it
    /// from the caller's memory.
    ///
    /// - Returns: False if the memtable is full or a group waits. Then nothing has changed, and the operation has to be
    ///   committed as a batch.
    @inline(__always)
    func commitSingle(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, expiry: Int64, _ value: Bytes
    ) throws(StorageError) -> Bool {
        try requireOwnProcess()
        var wakes = false
        lock.lock()
        defer {
            lock.unlock()
            if wakes { changes.wake() }
        }
        if let terminalError { throw terminalError }
        let size = BatchFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
        let sequence = nextSequence
        let isDone = try withCurrent { (log, memtable) throws(StorageError) -> Bool in
            guard erasures.isLive(namespace) else { throw Committer.droppedError(namespace) }
            guard pending.isEmpty, memtable.hasRoom(bytes: size, operations: 1) else { return false }
            if PlantedBug.isActive(.showBeforeLogging) {
                visible.store(sequence, ordering: .releasing)
                SchedulePoint.reach(.visible)
            }
            do throws(IOFailure) {
                let recordBytes = SingleFormat.encodedSize(keyBytes: key.count, valueBytes: value.count, kind: kind)
                if let frame = log.reserveSingle(recordBytes) {
                    SingleFormat.encode(
                        into: frame, Trailer(sequence, kind), namespace: namespace, key: key, expiry: expiry,
                        value: value)
                    try log.commit()
                } else {
                    var encoder = BatchEncoder()
                    encoder.append(namespace: namespace, key: key, kind: kind, expiry: expiry, value: value)
                    encoder.setBaseSequence(sequence)
                    try log.append(encoder.bytes)
                }
            } catch {
                throw failedAppend(error)
            }
            memtable.insert(
                namespace: namespace, userKey: key, trailer: Trailer(sequence, kind), expiry: expiry, value: value)
            return true
        }
        guard isDone == true else { return false }
        nextSequence = sequence &+ 1
        needsMark = false
        visible.store(sequence, ordering: .releasing)
        counters.batches &+= 1
        counters.operations &+= 1
        counters.userBytes &+= UInt64(key.count &+ value.count)
        let observedMask = observedMask.load(ordering: .relaxed)
        if observedMask != 0 {
            wakes = publishChanges(namespace, key, kind, expiry: expiry, sequence, observedMask)
        }
        return true
    }

    /// Commits a batch in wire form and sets its base sequence. It waits for a sync only if a group is waiting for one.
    ///
    /// - Returns: False if the memtable has no room. Then nothing has changed.
    func commitBuffered(
        _ batch: MutableBytes, _ operations: Int, _ values: LargeValues? = nil,
        _ check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) -> Bool {
        guard let base = try lockAndAppend(batch, operations, values, via: .mapped, check) else { return false }
        if pending.isEmpty || PlantedBug.isActive(.passTheGroup) {
            apply(batch.bytes, base, operations)
            let wakes = takeWakeup()
            lock.unlock()
            if wakes { changes.wake() }
        } else {
            try joinGroup(batch.bytes, base, operations)
        }
        return true
    }

    /// Appends a batch to the log and returns with `lock` held. Releases `lock` if there is no room or an error.
    ///
    /// - Parameter check: Runs before the append, while no batch is pending.
    func lockAndAppend(
        _ batch: MutableBytes, _ operations: Int, _ values: LargeValues?, via method: AppendMethod,
        _ check: (() throws(StorageError) -> Void)?
    ) throws(StorageError) -> SequenceNumber? {
        try requireOwnProcess()
        if PlantedBug.isActive(.checkBeforeLock) { try check?() }
        lock.lock()
        do throws(StorageError) {
            if let check {
                try waitUntilDrained()
                if !PlantedBug.isActive(.checkBeforeLock) { try check() }
            } else if drainWaiters > 0 {
                yieldToDrainers()
            }
            if let base = try append(batch, operations, values, method) { return base }
        } catch {
            lock.unlock()
            throw error
        }
        lock.unlock()
        return nil
    }

    /// Checks, sequences and appends a batch to the log. Returns nil if the memtable has no room for it. Under `lock`.
    private func append(
        _ batch: MutableBytes, _ operations: Int, _ values: LargeValues?, _ method: AppendMethod
    ) throws(StorageError) -> SequenceNumber? {
        if let terminalError { throw terminalError }
        guard let log else {
            if isReadOnly { throw Committer.readOnlyError }
            // Without a log there is no room either.
            return nil
        }
        try checkNamespaces(batch.bytes)
        guard memtable.hasRoom(bytes: pendingBytes + batch.count, operations: pendingOperations + operations),
            hasRoom(for: values)
        else { return nil }
        let base = nextSequence
        BatchFormat.setBaseSequence(base, in: batch)
        do {
            // Before the record that refers to them.
            if let values { try write(values, into: batch, for: log) }
            if operations == 1 {
                try appendSingle(batch.bytes, base, log, method)
            } else {
                try log.append(batch.bytes, method)
            }
        } catch {
            throw failedAppend(error)
        }
        if let streamed = values?.streamed { note(streamed, in: log) }
        nextSequence = base + SequenceNumber(operations) - (PlantedBug.isActive(.repeatSequence) ? 1 : 0)
        needsMark = false
        counters.batches &+= 1
        counters.operations &+= UInt64(operations)
        counters.userBytes &+= UInt64(batch.count - BatchFormat.headerBytes + (values?.extraUserBytes ?? 0))
        return base
    }

    /// Appends a batch of one operation in the short form if it fits.
    private func appendSingle(
        _ batch: Bytes, _ base: SequenceNumber, _ log: LogWriter, _ method: AppendMethod
    ) throws(IOFailure) {
        for operation in BatchOperations(validated: batch) {
            let recordBytes = SingleFormat.encodedSize(
                keyBytes: operation.userKey.count, valueBytes: operation.value.count, kind: operation.kind)
            guard let frame = log.reserveSingle(recordBytes, method) else { return try log.append(batch, method) }
            SingleFormat.encode(
                into: frame, Trailer(base, operation.kind), namespace: operation.namespace, key: operation.userKey,
                expiry: operation.expiry, value: operation.value)
            try log.commit()
        }
    }

    /// Makes an appended batch visible. Sequences become visible in order because batches are applied in order. Under
    /// `lock`.
    func apply(_ batch: Bytes, _ base: SequenceNumber, _ operations: Int) {
        if PlantedBug.isActive(.showBeforeApplying) {
            visible.store(base &+ SequenceNumber(operations) &- 1, ordering: .releasing)
            SchedulePoint.reach(.visible)
        }
        BatchFormat.apply(batch, baseSequence: base, to: memtable)
        visible.store(base &+ SequenceNumber(operations) &- 1, ordering: .releasing)
        let observedMask = observedMask.load(ordering: .relaxed)
        if observedMask != 0 { publishChanges(batch, base, observedMask) }
    }

    /// Throws if any namespace of the batch was dropped. Then the whole batch is refused.
    private func checkNamespaces(_ batch: Bytes) throws(StorageError) {
        var last: NamespaceID?
        for operation in BatchOperations(validated: batch) where operation.namespace != last {
            guard erasures.isLive(operation.namespace) else { throw Committer.droppedError(operation.namespace) }
            last = operation.namespace
        }
    }

    static var readOnlyError: StorageError { StorageError(.readOnly, "the store was opened for reading only") }

    static func droppedError(_ namespace: NamespaceID) -> StorageError {
        StorageError(.namespaceDropped, "\(namespace) does not exist (any more)")
    }

    /// Returns the error for a failed append. If nothing was written, the log is unchanged; any other failure poisons.
    private func failedAppend(_ failure: IOFailure) -> StorageError {
        guard log?.failure != nil || PlantedBug.isActive(.poisonOnFullDisk) else { return failure.storageError }
        poison(failure.storageError)
        return StorageError(
            .indeterminate, "the log failed while this batch was written", cause: failure.storageError)
    }
}
