import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleValues

/// Reads the logs that recovery needs into memtables. Changes nothing on disk.
///
/// Logs are read in order. If a log ends before the size that its successor recorded, its tail is lost and nothing
/// after it may be replayed:
///
/// 1. With buffered writes only, a power loss can cause that. Recovery then restores the state just before the loss.
/// 2. If the successor was ever synced, a synced commit had made this log durable first. The lost tail is damage then.
struct LogReplay {
    let directory: any Directory
    let state: StoreState
    let arenas: ArenaPool
    /// The value files to which batches refer.
    let values: ValueSource
    /// The first unused namespace id. A copy, because access to the catalogue counts references.
    private let nextNamespaceID: UInt32

    private(set) var memtables: [Memtable] = []
    /// For each memtable, the log that its batches are in.
    private(set) var memtableLogs: [UInt64] = []
    /// The sizes of the files of streamed values, by their numbers, to which the logs refer.
    private(set) var streams: [UInt64: [UInt64: UInt64]] = [:]
    /// The logs that were read and have a header, oldest first.
    private(set) var logs: [(number: UInt64, end: LogEnd)] = []
    /// Those of ``logs`` that follow a log without its end. Nothing of them was replayed.
    private(set) var cutOff: Set<UInt64> = []
    /// The last sequence replayed. The manifest's may be larger, because control operations take sequences too.
    private(set) var lastSequence: SequenceNumber = 0
    private(set) var report = RecoveryReport()
    /// The newest log read and its logical end, which the next log names as its predecessor.
    private(set) var predecessor = LogPredecessor.none
    /// True if another thread reads and verifies long logs, ahead of the thread that inserts.
    private let readsAhead: Bool
    /// True if the newest memtable belongs to the log that is being replayed.
    private var hasMemtable = false
    private let group = SingleGroup()

    /// The space of a log from which a thread reads ahead. A smaller log is read before a thread has started.
    private static let readAheadBytes: UInt64 = 8 << 20

    init(
        directory: any Directory, state: StoreState, arenas: ArenaPool, values: ValueSource, readsAhead: Bool
    ) {
        self.values = values
        self.directory = directory
        self.readsAhead = readsAhead
        self.state = state
        self.arenas = arenas
        nextNamespaceID = state.catalogue.nextID
    }

    mutating func run(_ numbers: [UInt64]) throws(StorageError) {
        let needed = state.logFloor == 0 ? [] : numbers.filter { $0 >= state.logFloor }.sorted()
        if state.logFloor != 0, needed.first != state.logFloor {
            throw .missingLog(state.logFloor)
        }
        // A later file proves nothing: it may be the spare, which has no header to name its predecessor.
        if state.logFloor != 0, !needed.contains(state.newestLog), !PlantedBug.isActive(.ignoreMissingLog) {
            throw .missingLog(state.newestLog)
        }
        var isBroken = false
        var headless: Set<UInt64> = []
        for (i, number) in needed.enumerated() {
            let path = StoreLayout.logPath(number)
            guard let file = try open(number, path) else { continue }
            defer { file.close() }
            // A log without a header was prepared and never used, or a power loss took the header and the log with it.
            // Its successor shows which. The reader refuses such a log if it was ever synced.
            let reader = try LogReader(file: file, path: path, number: number, kind: .wal, mayLackHeader: true)
            guard let header = reader.header else {
                headless.insert(number)
                continue
            }
            if i > 0, !isBroken { isBroken = try isCut(before: header, headless) }
            let isLong: Bool
            do { isLong = try file.size() >= LogReplay.readAheadBytes } catch { throw error.storageError.inFile(path) }
            let prefetcher = LogPrefetcher(reader, isAhead: readsAhead && isLong)
            // Runs before the file is closed.
            defer { prefetcher.stop() }
            try replay(reader, prefetcher, header, path, isBroken: isBroken)
        }
        report.lastSequence = max(lastSequence, state.lastSequence)
    }

    /// True if the log before the one with `header` has lost its end, or all of its content.
    private func isCut(before header: LogHeader, _ headless: Set<UInt64>) throws(StorageError) -> Bool {
        let previous = header.previous
        if headless.contains(previous.number) { return true }
        guard previous.number == predecessor.number else { throw .missingLog(previous.number) }
        return previous.size > predecessor.size && !PlantedBug.isActive(.ignoreShortLog)
    }

    /// Opens a log. Returns nil if the name is that of a directory, unless the manifest names the log. A successor that
    /// names it as its predecessor then finds it missing.
    private func open(_ number: UInt64, _ path: String) throws(StorageError) -> (any ReadableFile)? {
        do {
            return try directory.open(StoreLayout.log(number))
        } catch {
            if error.isWrongKind, number != state.logFloor, number != state.newestLog { return nil }
            throw error.neededFileError.inFile(path)
        }
    }

    private mutating func replay(
        _ reader: LogReader, _ prefetcher: LogPrefetcher, _ header: LogHeader, _ path: String, isBroken: Bool
    ) throws(StorageError) {
        if !isBroken { try checkKnown(header.previous.lastSequence, path, at: 0) }
        hasMemtable = false
        var values = ValueReplay(header, self.values)
        while let group = try prefetcher.next() {
            if isBroken || values.broken != nil {
                drop(group.records)
            } else {
                try insert(group, header, &values, path)
            }
        }
        guard let end = reader.end else { return }
        logs.append((header.number, end))
        if isBroken {
            cutOff.insert(header.number)
            // A synced commit in this log would first have made its predecessor durable.
            guard end.lastSyncedOffset == 0 else {
                throw .corruption(
                    "the log before \(path) lacks its end, but a later log was synced",
                    file: StoreLayout.logPath(header.previous.number),
                    offset: predecessor.size)
            }
            return
        }
        report.droppedBytes += end.tornBytes
        try values.finish(end)
        predecessor = LogPredecessor(
            number: header.number, size: values.broken?.offset ?? end.offset, lastSequence: lastSequence)
    }

    private mutating func drop(_ rest: LogRecordGroup.Records) {
        var records = rest
        while let record = records.next() { report.droppedBytes += UInt64(record.payload.count) }
    }

    private mutating func insert(
        _ group: LogRecordGroup, _ header: LogHeader, _ values: inout ValueReplay, _ path: String
    ) throws(StorageError) {
        var records = group.records
        var next = records.next()
        while let record = next {
            // Fills one memtable at a time: while it has room, a record costs no reference count.
            let batch = try parse(record, path)
            if header.hasValues, try !values.check(batch, at: record.offset, path) {
                report.droppedBytes += UInt64(record.payload.count)
                return drop(records)
            }
            if !hasMemtable || memtables.last?.hasRoom(bytes: record.payload.count, operations: batch.count) != true {
                let memtable = try makeMemtable(record.payload.count, batch.count)
                memtables.append(memtable)
                memtableLogs.append(header.number)
                hasMemtable = true
            }
            if header.hasValues { noteFiles(values, ofLog: header.number) }
            next = try fill(memtables[memtables.count - 1], from: record, &records, header, path)
        }
    }

    /// Notes the value files to which the next batch may refer.
    private mutating func noteFiles(_ values: ValueReplay, ofLog log: UInt64) {
        values.addFiles(to: memtables[memtables.count - 1])
        for reference in values.streamed { streams[log, default: [:]][reference.file] = reference.end }
    }

    /// Inserts `first` and the following records. Returns the first record without room, or nil at the group's end.
    private mutating func fill(
        _ memtable: Memtable, from first: LogRecord, _ records: inout LogRecordGroup.Records, _ header: LogHeader,
        _ path: String
    ) throws(StorageError) -> LogRecord? {
        // The group's operations refer to records that are valid only during this call.
        defer { group.apply(to: memtable) }
        var record = first
        while true {
            let batch = try parse(record, path)
            let bytes = record.payload.count
            guard memtable.hasRoom(bytes: group.byteCount &+ bytes, operations: group.count &+ batch.count) else {
                return record
            }
            switch batch {
            case .single(let operation):
                group.append(operation, byteCount: bytes)
                if group.isFull { group.apply(to: memtable) }
            case .batch(let operations):
                // Applied first, so that the versions of a key are inserted in their order.
                group.apply(to: memtable)
                operations.apply(to: memtable)
            }
            lastSequence = batch.lastSequence
            report.replayedBatches &+= 1
            report.replayedBytes &+= UInt64(bytes)
            guard let next = records.next() else { return nil }
            // The caller checks the values of the next record first.
            if header.hasValues { return next }
            record = next
        }
    }

    /// Returns the batch in a record. Throws if it may not follow the replayed batches.
    @inline(__always)
    private func parse(_ record: LogRecord, _ path: String) throws(StorageError) -> LoggedBatch {
        let batch = try LoggedBatch(record, after: lastSequence, path)
        let base = batch.baseSequence
        if base > lastSequence &+ 1 { try checkKnown(base - 1, path, at: record.offset) }
        if let namespace = batch.firstNamespace(from: nextNamespaceID) {
            throw .unknownNamespace(namespace, record, path)
        }
        return batch
    }

    /// Throws if a gap in the sequences is not explained. A sequence without a batch belongs to a control operation,
    /// which was durable in the manifest before any log could record a later sequence.
    private func checkKnown(
        _ sequence: SequenceNumber, _ path: String, at offset: UInt64
    ) throws(StorageError) {
        guard sequence <= max(lastSequence, state.lastSequence) else {
            throw .corruption(
                "sequence \(sequence), which precedes this log, is in no log and not in the manifest", file: path,
                offset: offset)
        }
    }

    private func makeMemtable(_ bytes: Int, _ operations: Int) throws(StorageError) -> Memtable {
        do {
            return Memtable(arena: try arenas.take(forBatchBytes: bytes, operations: operations))
        } catch {
            // The address space is exhausted. No test covers this, because it would affect other tests in the process.
            throw error.storageError
        }
    }
}
