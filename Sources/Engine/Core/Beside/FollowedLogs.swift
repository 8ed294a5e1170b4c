import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// The logs of a store that another process may have open.
///
/// Reading a log checks every record and finds the end, and inserts nothing: ``FollowedBatches`` does that for a state
/// that is read. The batches of one log are in memtables of their own. When the manifest says that the log is not
/// needed, because its batches are in segments, they are left out of later states.
struct FollowedLogs {
    private struct Followed {
        let log: LogFollower
        let memtables: FollowedMemtables
    }

    private let directory: any Directory
    private let arenas: ArenaPool
    private let memory: FollowedMemory
    private let values: ValueSource
    /// In ascending order.
    private var logs: [Followed] = []
    /// The logs that the opening has replayed. It has checked how they follow each other.
    private let checked: Set<UInt64>
    /// The logs that the opening has left out, because the log before them lacked its end.
    private let cutOff: Set<UInt64>
    /// The sequence of the last batch that was read.
    private(set) var lastSequence: SequenceNumber
    /// True if a batch was read since the caller has set this to false.
    var hasNews = false

    /// Continues where an opening has ended.
    init(_ replay: LogReplay, _ parts: OpenParts, memtableBytes: Int) throws(StorageError) {
        directory = parts.directories.logs
        arenas = parts.arenas
        memory = FollowedMemory(parts.segments.budget, least: memtableBytes)
        values = parts.values
        checked = Set(replay.logs.map(\.number)).subtracting(replay.cutOff)
        cutOff = replay.cutOff
        lastSequence = replay.lastSequence
        for (number, end) in replay.logs where checked.contains(number) {
            let tables = zip(replay.memtables, replay.memtableLogs).filter { $0.1 == number }.map(\.0)
            logs.append(try open(number, tables, at: end.offset))
        }
    }

    /// The batches that were read.
    var batches: FollowedBatches {
        FollowedBatches(
            logs.map { FollowedBatches.Part(log: $0.log, end: $0.log.position, memtables: $0.memtables) })
    }

    /// Reads what was added to the logs that `state` needs, as far as it was appended before the call. The owner may
    /// append as fast as this reads, so reading does not go on to the end that it finds.
    ///
    /// - Returns: `nil` if everything was read. Otherwise the error that it is unless the manifest has grown since
    ///   `state` was read: a batch follows a control operation that `state` does not have.
    mutating func readOn(_ state: StoreState) throws(StorageError) -> StorageError? {
        let floor = state.logFloor
        logs.removeAll { floor == 0 || $0.log.number < floor }
        guard floor != 0 else { return nil }
        let begun = try begunLogs(state)
        let end = try begun.last?.findEnd()
        var previous: LogFollower?
        for log in begun {
            guard let header = log.header else { continue }
            if isCutOff(log, after: previous, state) { return nil }
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
        if let known = logs.first(where: { $0.log.number == number }) { return known.log }
        let followed = try open(number, [], at: 0)
        logs.append(followed)
        logs.sort { $0.log.number < $1.log.number }
        return followed.log
    }

    private func open(
        _ number: UInt64, _ tables: [Memtable], at position: UInt64
    ) throws(StorageError) -> Followed {
        let path = StoreLayout.logPath(number)
        do throws(IOFailure) {
            let file = try directory.open(StoreLayout.log(number))
            return Followed(
                log: LogFollower(file, path: path, number: number, kind: .wal, position: position),
                memtables: FollowedMemtables(
                    tables, position: max(position, UInt64(LogFormat.headerSize)), arenas, memory, values))
        } catch {
            throw error.neededFileError.inFile(path)
        }
    }

    /// True if `log` was left out by the opening, and what precedes it is still missing.
    ///
    /// Either a power loss has taken the end of the log before it. Then the next owner leaves it out too. Or an owner
    /// wrote that end and began `log` while the opening read them. Then the end is there by now, or the manifest names
    /// `log` as the first one that is needed.
    private func isCutOff(_ log: LogFollower, after previous: LogFollower?, _ state: StoreState) -> Bool {
        guard cutOff.contains(log.number), log.number != state.logFloor, let expected = log.header?.previous else {
            return false
        }
        guard let previous else { return true }
        return previous.number != expected.number || previous.position < expected.size
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
        // Copies, because access to the state counts references.
        let (nextID, sequence) = (state.catalogue.nextID, state.lastSequence)
        try log.readOn(to: end ?? .max) { (record) throws(StorageError) in
            problem = try note(record, log, sequence, nextID)
            return problem == nil
        }
        return problem
    }

    /// Notes the batch of a record. Returns an error if the state, with its last sequence and next id, does not explain
    /// what precedes the batch.
    @inline(__always)
    private mutating func note(
        _ record: LogRecord, _ log: LogFollower, _ sequence: SequenceNumber, _ nextID: UInt32
    ) throws(StorageError) -> StorageError? {
        let batch = try LoggedBatch(record, after: lastSequence, log.path)
        let base = batch.baseSequence
        let isKnown = base - 1 <= max(lastSequence, sequence)
        guard isKnown || PlantedBug.isActive(.passControls) else {
            return unexplained(base - 1, log, at: record.offset)
        }
        if let namespace = batch.firstNamespace(from: nextID) {
            return .unknownNamespace(namespace, record, log.path)
        }
        lastSequence = batch.lastSequence
        hasNews = true
        return nil
    }
}
