import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// The logs of a store that another process may have open, and memtables with their batches.
///
/// The batches of one log are in memtables of their own. When the manifest says that the log is not needed, because its
/// batches are in segments, they are left out of later states.
struct FollowedLogs {
    private struct Table {
        let memtable: Memtable
        let log: UInt64
    }

    private let directory: any Directory
    private let arenas: ArenaPool
    /// Oldest first.
    private var tables: [Table] = []
    /// In ascending order.
    private var logs: [LogFollower] = []
    /// The logs that the opening has read. It has checked how they follow each other.
    private let checked: Set<UInt64>
    /// The sequence of the last batch that was read.
    private(set) var lastSequence: SequenceNumber
    /// True if a batch was read since the caller has set this to false.
    var hasNews = false
    private let group = SingleGroup()

    /// Continues where an opening has ended.
    init(_ replay: LogReplay, _ parts: OpenParts) throws(StorageError) {
        directory = parts.directories.logs
        arenas = parts.arenas
        checked = Set(replay.logs.map(\.number))
        lastSequence = replay.lastSequence
        tables = zip(replay.memtables, replay.memtableLogs).map { Table(memtable: $0, log: $1) }
        for (number, end) in replay.logs { logs.append(try open(number, at: end.offset)) }
    }

    /// Oldest first.
    var memtables: [Memtable] { tables.map(\.memtable) }

    /// Reads what was added to the logs that `state` needs, as far as it was appended before the call. The owner may
    /// append as fast as this reads, so reading does not go on to the end that it finds.
    ///
    /// - Returns: `nil` if everything was read. Otherwise the error that it is unless the manifest has grown since
    ///   `state` was read: a batch follows a control operation that `state` does not have.
    mutating func readOn(_ state: StoreState) throws(StorageError) -> StorageError? {
        let floor = state.logFloor
        logs.removeAll { floor == 0 || $0.number < floor }
        tables.removeAll { floor == 0 || $0.log < floor }
        guard floor != 0 else { return nil }
        let begun = try begunLogs(state)
        let end = try begun.last?.findEnd()
        var previous: LogFollower?
        for log in begun {
            guard let header = log.header else { continue }
            if let previous, !checked.contains(log.number) { try check(previous, against: header.previous) }
            guard header.previous.lastSequence <= max(lastSequence, state.lastSequence) else {
                return unexplained(header.previous.lastSequence, log, at: 0)
            }
            // The owner begins a log after the last batch of the one before, so all but the last have ended.
            let isLast = log === begun.last
            if let unexplained = try read(log, to: isLast ? end : nil, state) { return unexplained }
            previous = log
        }
        return nil
    }

    /// Returns the needed logs that have a header, oldest first. One without a header was made ahead.
    private mutating func begunLogs(_ state: StoreState) throws(StorageError) -> [LogFollower] {
        let needed = try names().filter { $0 >= state.logFloor }.sorted()
        for number in [state.logFloor, state.newestLog] where !needed.contains(number) { throw .missingLog(number) }
        var logs: [LogFollower] = []
        for number in needed { logs.append(try log(number)) }
        return try logs.begun()
    }

    private func names() throws(StorageError) -> [UInt64] {
        do { return try directory.list().compactMap { StoreLayout.logNumber($0) } } catch { throw error.storageError }
    }

    private mutating func log(_ number: UInt64) throws(StorageError) -> LogFollower {
        if let known = logs.first(where: { $0.number == number }) { return known }
        let log = try open(number, at: 0)
        logs.append(log)
        logs.sort { $0.number < $1.number }
        return log
    }

    private func open(_ number: UInt64, at position: UInt64) throws(StorageError) -> LogFollower {
        let path = StoreLayout.logPath(number)
        do throws(IOFailure) {
            let file = try directory.open(StoreLayout.log(number))
            return LogFollower(file, path: path, number: number, kind: .wal, position: position)
        } catch {
            throw error.neededFileError.inFile(path)
        }
    }

    private func check(_ log: LogFollower, against successor: LogPredecessor) throws(StorageError) {
        guard successor.number == log.number else { throw .missingLog(successor.number) }
        guard log.position >= successor.size else {
            throw .corruption("a log is damaged or lacks its end", file: log.path, offset: log.position)
        }
    }

    private func unexplained(_ sequence: SequenceNumber, _ log: LogFollower, at offset: UInt64) -> StorageError {
        .corruption(
            "sequence \(sequence), which precedes a batch, is in no log and not in the manifest", file: log.path,
            offset: offset)
    }

    // MARK: Batches

    private mutating func read(
        _ log: LogFollower, to end: UInt64?, _ state: StoreState
    ) throws(StorageError) -> StorageError? {
        var problem: StorageError?
        try log.readOn(to: end ?? .max) { (record) throws(StorageError) in
            problem = try insert(record, log, state)
            return problem == nil
        }
        return problem
    }

    /// Inserts the batch of a record. Returns an error if `state` does not explain what precedes the batch.
    private mutating func insert(
        _ record: LogRecord, _ log: LogFollower, _ state: StoreState
    ) throws(StorageError) -> StorageError? {
        let batch = try LoggedBatch(record, after: lastSequence, log.path)
        let base = batch.baseSequence
        let isKnown = base - 1 <= max(lastSequence, state.lastSequence)
        guard isKnown || PlantedBug.isActive(.passControls) else {
            return unexplained(base - 1, log, at: record.offset)
        }
        if let namespace = batch.firstNamespace(from: state.catalogue.nextID) {
            return .unknownNamespace(namespace, record, log.path)
        }
        let table = try table(for: log.number, record.payload.count, batch.count)
        switch batch {
        case .single(let operation):
            group.append(operation, byteCount: record.payload.count)
            group.apply(to: table)
        case .batch(let operations): operations.apply(to: table)
        }
        lastSequence = batch.lastSequence
        hasNews = true
        return nil
    }

    private mutating func table(
        for log: UInt64, _ bytes: Int, _ operations: Int
    ) throws(StorageError) -> Memtable {
        if let last = tables.last, last.log == log, last.memtable.hasRoom(bytes: bytes, operations: operations) {
            return last.memtable
        }
        do throws(IOFailure) {
            let memtable = Memtable(arena: try arenas.take(forBatchBytes: bytes, operations: operations))
            tables.append(Table(memtable: memtable, log: log))
            return memtable
        } catch {
            throw error.storageError
        }
    }
}
