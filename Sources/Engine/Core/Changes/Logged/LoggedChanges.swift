import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform

/// The changes of a store in its logs and manifests, for a ``ChangeFollower`` or ``LoggedBatches``.
///
/// Every sequence belongs to a batch in a log or to a control operation in a manifest. The follower therefore delivers
/// each of them once, in order:
///
/// 1. It reads the manifest first and the logs second. An operation is durable before a batch with a later sequence is
///    logged, so the manifest is read again if a batch follows a sequence that is not known.
/// 2. A sequence that then still is in neither was in a file that is deleted. It is delivered as a gap.
/// 3. The follower holds its log and all later ones. It takes the hold of the next log before it releases the one
///    before. Without holds, open logs stay readable, and a log that was deleted before it was opened becomes a gap.
struct LoggedChanges {
    /// The bytes of records that are read ahead of the caller, unless one batch has more.
    private static let aheadBytes = 1 << 20

    private let root: any Directory
    private let controls: ControlFollower
    private var chain: LogChain
    private var log: LogFollower?
    private var holds: StateHolds?
    private var hold: StateHold?
    /// The sequence of the last change that was read.
    private var last: SequenceNumber
    /// The last sequence in what was read, also before the first change that is delivered.
    private var seen: SequenceNumber = 0
    /// True once everything up to an end was read.
    private var hasReachedEnd = false
    /// Namespaces that were dropped before the manifest began.
    private var dropped: Set<NamespaceID> = []
    private var read: [LoggedStep] = []
    private var taken = 0
    /// True if steps have the records of batches, and no changes.
    private let keepsRecords: Bool

    init(
        _ directories: StoreDirectories, after sequence: SequenceNumber, keepsRecords: Bool = false
    ) throws(StorageError) {
        self.keepsRecords = keepsRecords
        root = directories.root
        last = sequence
        chain = LogChain(in: directories.logs)
        let begun = try StateHolds.begin(in: root)
        defer { begun?.search.end() }
        holds = begun?.holds
        controls = try LoggedChanges.controls(in: root)
        try readOn()
    }

    /// Begins to follow the control operations. An owner that replaces the manifest may cause passing failures.
    private static func controls(in root: any Directory) throws(StorageError) -> ControlFollower {
        var attempts = ReadAttempts()
        while true {
            do throws(StorageError) { return try ControlFollower(in: root) } catch { try attempts.fail(error) }
        }
    }

    mutating func take() -> LoggedStep? {
        guard taken < read.count else { return nil }
        let step = read[taken]
        taken += 1
        if taken == read.count {
            read.removeAll(keepingCapacity: true)
            taken = 0
        }
        return step
    }

    /// Reads at most ``aheadBytes`` of what was added. An owner that works beside it may cause passing failures.
    mutating func readOn() throws(StorageError) {
        var attempts = ReadAttempts()
        while true {
            do throws(StorageError) { return try advance() } catch { try attempts.fail(error) }
        }
    }

    private mutating func advance() throws(StorageError) {
        try controls.readOn()
        controls.forget(through: last)
        seen = max(seen, controls.lastSequence)
        if log == nil { try begin() }
        // A store without logs was closed: everything is in segments.
        if log == nil { try explain(through: controls.lastSequence) }
        while let log {
            // Before the log is read: if it has a successor, it has ended.
            let successor = try chain.begun(from: log.number).first { $0.number > log.number }
            guard try read(log) else { return }
            guard let successor else { break }
            try move(to: try next(log, successor))
        }
        takeControls(before: .max)
        if !hasReachedEnd { noteEnd() }
    }

    /// Begins with the log that has the first changes.
    private mutating func begin() throws(StorageError) {
        let search = try holdEverything()
        defer { search?.end() }
        let logs = try chain.begun(from: 0)
        if let start = LogChain.start(after: last, in: logs) {
            try move(to: start)
        } else if hold == nil {
            try hold(from: 0)
        }
    }

    /// Returns the log that continues `log`: its successor, or the first one of the chain if there are logs missing.
    private mutating func next(_ log: LogFollower, _ successor: LogFollower) throws(StorageError) -> LogFollower {
        if LogChain.isContinued(log, by: successor) { return successor }
        let later = try chain.begun(from: log.number + 1)
        return LogChain.start(after: last, in: later) ?? successor
    }

    /// Continues with another log. Sequences before it that are not known are a gap.
    private mutating func move(to next: LogFollower) throws(StorageError) {
        let before = next.header?.previous.lastSequence ?? 0
        seen = max(seen, before)
        try explain(through: before)
        try hold(from: next.number)
        log = next
    }

    // MARK: Sequences

    /// Reads records until enough are read ahead. Returns false if there may be more.
    private mutating func read(_ log: LogFollower) throws(StorageError) -> Bool {
        var bytes = 0
        var hasEnded = true
        try log.readOn { (record) throws(StorageError) in
            guard bytes < LoggedChanges.aheadBytes else {
                hasEnded = false
                return false
            }
            // Records before the start are passed over without an end.
            if try add(record, log) { bytes += record.payload.count }
            return true
        }
        return hasEnded
    }

    /// Adds the batch of a record. Returns false if the caller has processed it already.
    private mutating func add(_ record: LogRecord, _ log: LogFollower) throws(StorageError) -> Bool {
        let batch = try LoggedBatch(record, log.path)
        seen = max(seen, batch.lastSequence)
        guard batch.lastSequence > last else { return false }
        try explain(through: batch.baseSequence - 1)
        let changes = keepsRecords ? [] : try changes(of: batch)
        var step = LoggedStep(Engine.ChangeBatch(changes, batch.baseSequence...batch.lastSequence))
        if keepsRecords {
            step = step.with(record, hasReferences: log.header?.hasValues == true && batch.hasReferences)
        }
        read.append(step)
        last = batch.lastSequence
        return true
    }

    /// Delivers the operations through `sequence`, and what is in no file as a gap.
    private mutating func explain(through sequence: SequenceNumber) throws(StorageError) {
        guard last < sequence else { return }
        takeControls(before: sequence + 1)
        guard last < sequence else { return }
        try controls.readOn()
        takeControls(before: sequence + 1)
        guard last < sequence else { return }
        read.append(LoggedStep(Engine.ChangeBatch(gap: (last + 1)...sequence)))
        controls.forget(through: sequence)
        last = sequence
    }

    /// Delivers the operations that follow the last change directly.
    private mutating func takeControls(before end: SequenceNumber) {
        while last + 1 < end, let changes = controls.take(last + 1) {
            last += 1
            read.append(LoggedStep(Engine.ChangeBatch(changes, last...last)))
        }
    }

    /// Delivers a gap if the caller continues from a sequence that the store does not have: it is older than the one
    /// that was read before, or another.
    private mutating func noteEnd() {
        hasReachedEnd = true
        guard last > seen else { return }
        read.append(LoggedStep(Engine.ChangeBatch(gap: min(1, seen)...seen)))
        last = seen
    }

    /// Returns the changes of a batch. Those of a namespace that was dropped before the manifest began are left out:
    /// the drop follows as a gap.
    private mutating func changes(of batch: LoggedBatch) throws(StorageError) -> [Engine.Change] {
        switch batch {
        case .single(let single): return try change(single.operation, single.sequence).map { [$0] } ?? []
        case .batch(let operations):
            var changes: [Engine.Change] = []
            changes.reserveCapacity(operations.count)
            var sequence = operations.baseSequence
            for operation in operations {
                if let change = try change(operation, sequence) { changes.append(change) }
                sequence += 1
            }
            return changes
        }
    }

    private mutating func change(
        _ operation: BatchOperation, _ sequence: SequenceNumber
    ) throws(StorageError) -> Engine.Change? {
        let namespace = operation.namespace
        if controls.names[namespace] == nil, !dropped.contains(namespace) {
            try controls.readOn()
            // A namespace is created before it is written to, and its id is never used again.
            if controls.names[namespace] == nil { dropped.insert(namespace) }
        }
        guard let name = controls.names[namespace] else { return nil }
        return Engine.Change(
            sequence: sequence, kind: operation.kind.isDelete ? .removed : .set, namespace: namespace, name: name,
            key: operation.userKey.array())
    }

    // MARK: Holds

    /// Holds everything. The holds are begun anew if LOCK was replaced, or if there was none.
    private mutating func holdEverything() throws(StorageError) -> StateHold? {
        if let holds, try holds.isInPlace { return try holds.holdEverything() }
        hold = nil
        let begun = try StateHolds.begin(in: root)
        holds = begun?.holds
        return begun?.search
    }

    /// Holds the logs from `number` on instead of those that were held.
    private mutating func hold(from number: UInt64) throws(StorageError) {
        if let holds, try holds.isInPlace {
            hold = try holds.holdLogs(from: number)
        } else {
            let search = try holdEverything()
            hold = try holds?.holdLogs(from: number)
            search?.end()
        }
    }
}
