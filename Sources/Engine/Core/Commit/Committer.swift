import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleValues
import Synchronization

/// Commits all mutations of a store.
///
/// **Buffered** commits append to the log, apply to the memtable and become visible under one short lock, with no
/// hand-off between threads.
///
/// **Synced** commits append under the same lock and then wait in `pending`:
///
/// 1. The first member leads: it syncs the log without holding the lock, while others append.
/// 2. It applies every member that the sync covered, in order, and publishes their sequences.
/// 3. It promotes the next leader if more members have arrived, and wakes the finished members one by one.
///
/// So synced data is durable before it is visible. A buffered commit that arrives while members wait joins them,
/// because it must not become visible before a batch with a smaller sequence.
///
/// Invariants, under `lock`:
/// - The log holds batches in sequence order. Memtable and `visible` hold a prefix of them, and `pending` the rest.
/// - `pending` is empty whenever the memtable is rotated or a control operation takes its sequence.
/// - No synced commit relies on a log whose predecessor is not durable: the leader syncs `undurableLogs` first.
///
/// After a failed write or sync the content of the log is unknown, so the committer is poisoned. The batch at hand
/// fails with `.indeterminate`, later ones with `.poisoned`. Reads continue.
@safe
final class Committer: @unchecked Sendable {
    /// Held for a fraction of a microsecond in most cases, and never during a sync by a group's leader.
    let lock = Lock(spins: true)
    /// Signalled when a sync has ended, when `pending` becomes empty, when writing ends, and when a thread in
    /// `drainWaiters` has stopped waiting.
    let changed: Condition
    /// The largest sequence that readers without a snapshot may see.
    let visible: Atomic<UInt64>
    /// The observed namespaces, as bits: see Committer+Changes. 0 if there are none. Stored under `lock`.
    let observedMask = Atomic<UInt64>(0)
    let changes = ChangeRing()

    /// True if the store was opened for reading only.
    let isReadOnly: Bool

    // Everything below: under `lock`.
    /// nil in a store that was opened for reading only, that waits for space to begin a log, or that is closing.
    private(set) var log: LogWriter?
    /// Rotated logs that may not be durable yet, oldest first.
    var undurableLogs: [LogWriter] = []
    private(set) var memtable: Memtable
    /// Unretained copies of `log` and `memtable`, so that single commits count no references. They change together with
    /// the originals.
    private var borrowedLog: Unmanaged<LogWriter>?
    private var borrowedMemtable: Unmanaged<Memtable>
    var nextSequence: SequenceNumber
    /// The sequence of the last control operation, and of the last batch before the run of control operations that it
    /// ends.
    private var lastControl: SequenceNumber = 0
    private var lastBeforeControls: SequenceNumber = 0
    var pending: [PendingCommit] = []
    var pendingBytes = 0
    var pendingOperations = 0
    var isSyncing = false
    /// The number of threads that wait for `pending` to become empty. New batches let them go first: groups of many
    /// writers follow each other without a gap, so these threads would starve.
    private(set) var drainWaiters = 0
    /// The reason why writing has ended: poisoned or closed. Only ``end(_:members:)`` sets it.
    private(set) var terminalError: StorageError?
    /// True if the newest chunk of the log was synced and no later chunk records that.
    var needsMark = false
    var counters = CommitCounters()
    /// True if the subscribers' thread sleeps and has changes to deliver.
    var needsWakeup = false

    /// The place of large values; `nil` if they stay in the log.
    let separation: ValueSeparation?
    /// The value files of logs whose memtables are not in segments yet, by the log's number.
    var valueWriters: [UInt64: ValueFileWriter] = [:]
    /// The sizes of the files of streamed values, by their numbers, to which such logs refer.
    var streams: [UInt64: [UInt64: UInt64]] = [:]

    let erasures: ErasureTable
    /// The process that opened the store.
    private let process: ProcessMark

    init(
        log: LogWriter?, isReadOnly: Bool = false, memtable: Memtable, lastSequence: SequenceNumber,
        erasures: ErasureTable, process: ProcessMark, separation: ValueSeparation? = nil
    ) {
        self.separation = separation
        self.process = process
        self.isReadOnly = isReadOnly
        changed = Condition(lock)
        visible = Atomic(lastSequence)
        self.log = log
        self.memtable = memtable
        unsafe borrowedLog = log.map { unsafe Unmanaged.passUnretained($0) }
        unsafe borrowedMemtable = Unmanaged.passUnretained(memtable)
        nextSequence = lastSequence + 1
        self.erasures = erasures
    }

    /// Switches to another log and memtable. Under `lock`, drained.
    func rotate(to log: LogWriter?, _ memtable: Memtable) {
        self.log = log
        self.memtable = memtable
        unsafe borrowedLog = log.map { unsafe Unmanaged.passUnretained($0) }
        unsafe borrowedMemtable = Unmanaged.passUnretained(memtable)
    }

    /// Passes log and memtable to `body` without retaining them. Under `lock`. They can't be released meanwhile: `log`
    /// and `memtable` hold them and change only under `lock`. Returns nil if there is no log yet.
    @inline(__always)
    func withCurrent<R>(_ body: (LogWriter, Memtable) throws(StorageError) -> R) throws(StorageError) -> R? {
        guard let borrowedLog = unsafe borrowedLog else {
            try requireWritable()
            return nil
        }
        let borrowedMemtable = unsafe borrowedMemtable
        let result = unsafe borrowedLog._withUnsafeGuaranteedRef { log in
            unsafe borrowedMemtable._withUnsafeGuaranteedRef { memtable in
                Result { () throws(StorageError) in try body(log, memtable) }
            }
        }
        return try result.get()
    }

    @inline(never)
    private func requireWritable() throws(StorageError) { if isReadOnly { throw Committer.readOnlyError } }

    /// Throws if writing has ended.
    func requireWriting() throws(StorageError) {
        try lock.withLock { () throws(StorageError) in if let terminalError { throw terminalError } }
    }

    /// True in a child process that `fork` made from the process that opened the store.
    var isInChild: Bool { process.isInChild }

    /// Throws in a child process. Call it before a mutation takes any lock: in the child, the thread that holds the
    /// lock may not exist.
    @inline(__always)
    func requireOwnProcess() throws(StorageError) {
        if isInChild, !PlantedBug.isActive(.writeInChild) { throw Committer.childError }
    }

    @inline(never)
    private static var childError: StorageError {
        .invalid("the parent process opened the store before fork: a child process must open the store itself")
    }

    /// Runs `body` under the lock, with nothing pending, for rotation and control operations. Throws if writing has
    /// ended.
    ///
    /// - Parameter betweenSyncs: Waits for a running sync of the log as well. Required if `body` syncs the log: see
    ///   ``makeDurable()``.
    func exclusively<R>(
        betweenSyncs: Bool = false, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try requireOwnProcess()
        lock.lock()
        defer { lock.unlock() }
        try wait {
            !pending.isEmpty && !PlantedBug.isActive(.enterBesideGroup)
                || betweenSyncs && isSyncing && !PlantedBug.isActive(.overlapSyncs)
        }
        return try body()
    }

    /// Waits until no batch is pending. Under `lock`.
    func waitUntilDrained() throws(StorageError) { try wait { !pending.isEmpty } }

    /// Waits while `isBusy`, ahead of new batches. Under `lock`.
    private func wait(while isBusy: () -> Bool) throws(StorageError) {
        if terminalError == nil, isBusy() {
            drainWaiters += 1
            while terminalError == nil, isBusy() { changed.wait() }
            drainWaiters -= 1
            changed.broadcast()
        }
        if let terminalError { throw terminalError }
    }

    /// Waits until no thread waits for `pending` to become empty. Under `lock`.
    func yieldToDrainers() { while drainWaiters > 0, terminalError == nil { changed.wait() } }

    /// Waits until no sync of the log runs. After `terminalError` is set no sync begins.
    func waitForRunningSync() { lock.withLock { while isSyncing { changed.wait() } } }

    /// Uses `nextSequence` for a control operation. Under `lock`.
    func takeSequence() {
        lastBeforeControls = lastBatchSequence
        lastControl = nextSequence
        nextSequence += 1
    }

    /// The sequence of the last batch, or a larger one of a control operation before the store was opened. Under
    /// `lock`.
    var lastBatchSequence: SequenceNumber {
        nextSequence - 1 == lastControl ? lastBeforeControls : nextSequence - 1
    }

    /// Ends writing for good because a log or manifest can't be trusted any more. Under `lock`.
    func poison(_ cause: StorageError) {
        guard terminalError == nil else { return }
        end(
            StorageError(
                .poisoned, "an earlier log or manifest failure ended writing; reopen the store", cause: cause),
            members: StorageError(.indeterminate, "the log failed before this write was durable", cause: cause))
        if PlantedBug.isActive(.neverPoison) { terminalError = nil }
    }

    /// Ends writing because the store is closing, maybe after it was poisoned. Under `lock`, drained.
    func close(_ reason: StorageError) {
        // A waiting batch is in the log, so the next open replays it. It can be completed but not refused.
        assert(pending.isEmpty)
        end(reason, members: StorageError(.indeterminate, "the store was closed before this write was durable"))
    }

    /// Sets `terminalError` and fails every pending member, because no later sync would serve it. Under `lock`.
    private func end(_ terminalError: StorageError, members error: StorageError) {
        self.terminalError = terminalError
        if PlantedBug.isActive(.keepMembersWaiting) { return changed.broadcast() }
        let members = pending
        pending.removeAll()
        pendingBytes = 0
        pendingOperations = 0
        // A promoted member sees `terminalError` when it takes the lock.
        for member in members where !member.isPromoted { member.finish(.failed(error)) }
        changed.broadcast()
    }
}

/// Totals of the write path since the engine was opened.
struct CommitCounters: Sendable {
    var batches: UInt64 = 0
    var operations: UInt64 = 0
    var userBytes: UInt64 = 0
    var syncs: UInt64 = 0
    var syncedBatches: UInt64 = 0
}
