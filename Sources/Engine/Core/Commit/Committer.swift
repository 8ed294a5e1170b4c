import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import Synchronization

/// The one door through which mutations enter.
///
/// **Buffered** commits append to the log, apply to the memtable and become visible under one short lock, with no
/// hand-off between threads.
///
/// **Synced** commits append under the same lock and then wait in `pending`. The first of them leads: it syncs the log
/// without holding the lock, while others append behind it, then applies every member that the sync covered, in order,
/// publishes their sequences, wakes them one by one, and promotes the next leader if somebody has come meanwhile. Synced
/// data is therefore durable before it is visible. A buffered commit that arrives while members wait joins them, because
/// it may not become visible before a batch with a smaller sequence.
///
/// Invariants, under `lock`:
/// - The log holds batches in sequence order; memtable and `visible` hold a prefix of them; `pending` the rest.
/// - `pending` is empty whenever the memtable is rotated or a control operation takes its sequence.
/// - No log follows a log that is not durable, for a synced commit: the leader syncs `undurableLogs` first.
///
/// After a failed write or sync nobody can tell what the log holds: the committer is poisoned. The batch at hand is
/// `.indeterminate`, later ones `.poisoned`; reads go on.
@safe
final class Committer: @unchecked Sendable {
    /// Held for a fraction of a microsecond by most, and by nobody while the group's leader syncs.
    let lock = Lock(spins: true)
    /// Signalled when a sync has ended, when `pending` runs empty, and when somebody has had his turn alone.
    let changed: Condition
    /// The largest sequence that readers of the present may see.
    let visible: Atomic<UInt64>
    /// Namespaces that somebody observes, as bits: see Committer+Changes. 0 for nobody. Stored under `lock`.
    let interest = Atomic<UInt64>(0)
    let changes = ChangeRing()

    /// Whether the store was opened for reading only.
    let isReadOnly: Bool

    // All below: under `lock`.
    /// nil in a store that was opened for reading only, in one that waits for space to begin a log, and in one that is
    /// being closed.
    private(set) var log: LogWriter?
    /// Rotated logs that may not be durable yet, oldest first.
    var undurableLogs: [LogWriter] = []
    private(set) var memtable: Memtable
    /// The same two, for the path of single commits: using these counts no references. They are changed together.
    private var borrowedLog: Unmanaged<LogWriter>?
    private var borrowedMemtable: Unmanaged<Memtable>
    var nextSequence: SequenceNumber
    /// The last control operation's, and the last batch's before it and those that it follows at once.
    private var lastControl: SequenceNumber = 0
    private var lastBeforeControls: SequenceNumber = 0
    var pending: [CommitMember] = []
    var pendingBytes = 0
    var pendingOperations = 0
    var isSyncing = false
    /// Threads that wait for `pending` to run empty. New batches let them go first: groups of many writers follow each
    /// other without a gap, and nobody would ever get in between.
    private(set) var drainWaiters = 0
    /// Why writing has ended: poisoned or closed. Set by ``end(_:members:)`` alone.
    private(set) var gate: StorageError?
    /// Whether the newest chunk of the log is one that was synced and has no successor to vouch for it.
    var needsMark = false
    var counters = CommitCounters()
    /// Whether the subscribers' thread sleeps and has something to tell.
    var hasNews = false

    let erasures: ErasureTable
    /// The process that opened the store.
    private let process: ProcessMark

    init(
        log: LogWriter?, isReadOnly: Bool = false, memtable: Memtable, lastSequence: SequenceNumber,
        erasures: ErasureTable, process: ProcessMark
    ) {
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

    /// Under `lock`, drained: what follows goes into another log and memtable.
    func rotate(to log: LogWriter?, _ memtable: Memtable) {
        self.log = log
        self.memtable = memtable
        unsafe borrowedLog = log.map { unsafe Unmanaged.passUnretained($0) }
        unsafe borrowedMemtable = Unmanaged.passUnretained(memtable)
    }

    /// Under `lock`: lends log and memtable. They can't be released meanwhile: `log` and `memtable` hold them, and only who
    /// has the lock changes those. nil where there is no log yet.
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

    /// Whether this is a child, made by `fork`, of the process that opened the store.
    var isInChild: Bool { process.isInChild }

    /// For whatever changes something, before it takes a lock that a thread may hold which the child does not have.
    @inline(__always)
    func requireOwnProcess() throws(StorageError) {
        if isInChild, !PlantedBug.isActive(.writeInChild) { throw Committer.childError }
    }

    @inline(never)
    private static var childError: StorageError {
        .invalid("the store was opened before fork, by the parent process: a child opens it for itself")
    }

    /// Runs `body` under the lock, with nothing pending, if writing is possible: for rotation and control operations.
    ///
    /// `betweenSyncs`: waits for a running sync of the log as well. A caller that syncs the log in `body` needs that: see
    /// ``makeDurable()``.
    func exclusively<R>(
        betweenSyncs: Bool = false, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try requireOwnProcess()
        lock.lock()
        defer { lock.unlock() }
        try wait { !pending.isEmpty || betweenSyncs && isSyncing && !PlantedBug.isActive(.overlapSyncs) }
        return try body()
    }

    /// Under `lock`.
    func waitUntilDrained() throws(StorageError) { try wait { !pending.isEmpty } }

    /// Under `lock`.
    private func wait(while isBusy: () -> Bool) throws(StorageError) {
        if gate == nil, isBusy() {
            drainWaiters += 1
            while gate == nil, isBusy() { changed.wait() }
            drainWaiters -= 1
            changed.broadcast()
        }
        if let gate { throw gate }
    }

    /// Under `lock`: waits while others wait for the batches before this one to be done.
    func letDrainWaitersGo() { while drainWaiters > 0, gate == nil { changed.wait() } }

    /// Returns when no sync of the log runs. After the gate has fallen none begins any more.
    func waitForRunningSync() { lock.withLock { while isSyncing { changed.wait() } } }

    /// Under `lock`: `nextSequence` belongs to a control operation.
    func takeSequence() {
        lastBeforeControls = lastBatchSequence
        lastControl = nextSequence
        nextSequence += 1
    }

    /// Under `lock`: the sequence of the last batch, or a later one of a control operation of an earlier process.
    var lastBatchSequence: SequenceNumber {
        nextSequence - 1 == lastControl ? lastBeforeControls : nextSequence - 1
    }

    /// Under `lock`: a log or manifest that can't be trusted any more ends writing for good.
    func poison(_ cause: StorageError) {
        guard gate == nil else { return }
        end(
            StorageError(
                .poisoned, "an earlier log or manifest failure ended writing; reopen the store", cause: cause),
            members: StorageError(.indeterminate, "the log failed before this write was durable", cause: cause))
        if PlantedBug.isActive(.neverPoison) { gate = nil }
    }

    /// Under `lock`, drained: the store is closing, or closes after it was poisoned.
    func close(_ reason: StorageError) {
        // A batch that waits is in the log, so the next open replays it: it can be finished, but not refused.
        assert(pending.isEmpty)
        end(reason, members: StorageError(.indeterminate, "the store was closed before this write was durable"))
    }

    /// Under `lock`: sets the gate and ends the wait of every pending member, which no later sync would serve.
    private func end(_ gate: StorageError, members error: StorageError) {
        self.gate = gate
        let members = pending
        pending.removeAll()
        pendingBytes = 0
        pendingOperations = 0
        // A promoted member finds the gate itself when it takes the lock.
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
