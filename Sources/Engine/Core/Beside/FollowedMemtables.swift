import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// The memtables with the batches of one followed log, filled as far as states that are read need them. Thread-safe.
///
/// States share the memtables. A state does not see what was inserted for a later one, because it reads at its own last
/// sequence. The first read of a state inserts, under `lock`; reads of other states go on meanwhile.
final class FollowedMemtables: @unchecked Sendable {
    private let arenas: ArenaPool
    private let memory: FollowedMemory
    private let values: ValueSource

    private let lock = Lock()
    // Under `lock`.
    /// Oldest first.
    private var tables: [Memtable]
    /// The end of the records whose batches are in `tables`.
    private var position: UInt64
    /// The last sequence in `tables`.
    private var lastSequence: SequenceNumber = 0
    private var allocatedBytes = 0

    /// Takes the memtables of a log that was read up to `position`.
    init(
        _ tables: [Memtable], position: UInt64, _ arenas: ArenaPool, _ memory: FollowedMemory, _ values: ValueSource
    ) {
        self.tables = tables
        self.position = position
        self.arenas = arenas
        self.memory = memory
        self.values = values
        noteMemory()
    }

    deinit { memory.add(-allocatedBytes) }

    /// True if nothing before `end` is left to insert.
    func isFilled(to end: UInt64) -> Bool { lock.withLock { position >= end } }

    /// Oldest first.
    var present: [Memtable] { lock.withLock { tables } }

    /// Inserts the batches of `log` up to `end`, where a refresh stopped reading. Returns all memtables, oldest first.
    ///
    /// The records were read and checked by that refresh. They are checked again, because only a read of the same bytes
    /// is worth a check.
    ///
    /// - Throws: `.outdated` if the owner has cut the log meanwhile, and the errors of reading it. What was inserted
    ///   before stays, and the next call continues.
    func fill(from log: LogFollower, to end: UInt64) throws(StorageError) -> [Memtable] {
        try lock.withLock { () throws(StorageError) in
            guard position < end else { return tables }
            defer { noteMemory() }
            let group = SingleGroup()
            try log.readAgain(from: &position, to: end) { (record) throws(StorageError) in
                let batch = try LoggedBatch(record, after: lastSequence, log.path)
                let table = try table(for: log, record.payload.count, batch.count)
                if log.header?.hasValues == true { try noteFiles(of: batch, log, in: table) }
                switch batch {
                case .single(let operation):
                    group.append(operation, byteCount: record.payload.count)
                    group.apply(to: table)
                case .batch(let operations): operations.apply(to: table)
                }
                lastSequence = batch.lastSequence
            }
            return tables
        }
    }

    private func table(
        for log: LogFollower, _ bytes: Int, _ operations: Int
    ) throws(StorageError) -> Memtable {
        if let last = tables.last, last.hasRoom(bytes: bytes, operations: operations) { return last }
        do throws(IOFailure) {
            let memtable = Memtable(arena: try arenas.take(forBatchBytes: bytes, operations: operations))
            if log.header?.hasValues == true { memtable.valueFilesForAdding().setOwn(values.file(log.number)) }
            tables.append(memtable)
            return memtable
        } catch {
            throw error.storageError
        }
    }

    /// Notes the files of streamed values to which a batch refers.
    private func noteFiles(of batch: LoggedBatch, _ log: LogFollower, in table: Memtable) throws(StorageError) {
        for operation in batch.referencingOperations {
            let reference = try ValueReference(stored: operation.value)
            guard reference.file != log.number else { continue }
            table.valueFilesForAdding().add(reference, in: values.file(reference.file))
        }
    }

    private func noteMemory() {
        let bytes = tables.reduce(0) { $0 + $1.allocatedBytes }
        memory.add(bytes - allocatedBytes)
        allocatedBytes = bytes
    }
}

/// The memory of all memtables of a follower's states, in the engine's budget. Thread-safe.
final class FollowedMemory: Sendable {
    private let budget: MemoryBudget
    /// The bytes that are charged in any case.
    private let least: Int
    private let total = Locked(0)

    init(_ budget: MemoryBudget, least: Int) {
        self.budget = budget
        self.least = least
    }

    func add(_ bytes: Int) {
        total.withLock { total in
            total += bytes
            budget.setMemtableBytes(max(least, total))
        }
    }
}
