import ShaleBase
import ShaleEngine
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// Reads the logs that a store needs, like an opening, but continues after a loss.
///
/// The lost part of a log may have concerned any key, so everything older is in doubt from then on. A tail that an
/// opening takes for a write interrupted by a power loss is no loss here either, because the two can't be
/// distinguished.
struct LogSalvage {
    private let directory: (any Directory)?
    private let values: ValueSource
    private let state: StoreState
    /// False if there is no manifest. All existing logs are then read, and missing logs can't be detected.
    private let hasManifest: Bool
    private let arenas = ArenaPool(capacity: 8 << 20, keptMax: 1)

    /// Oldest first.
    private(set) var memtables: [Memtable] = []
    /// The index of the first memtable that is newer than all losses.
    private(set) var certainFrom = 0
    private(set) var losses: [Loss] = []
    private(set) var lastSequence: SequenceNumber = 0
    private(set) var tornBytes: UInt64 = 0
    /// True if a batch named a namespace that the manifest does not contain: the manifest has lost an edit.
    private(set) var contradictsManifest = false

    /// The end of the previous log; `nil` if unknown.
    private var predecessor: LogPredecessor? = LogPredecessor.none
    private var logsWithoutHeader: Set<UInt64> = []
    private var isBroken = false
    private var needsMemtable = true

    init(_ store: DamagedStore) {
        directory = store.logs
        values = store.valueSource
        state = store.state
        hasManifest = store.hasManifest
    }

    mutating func run(_ numbers: [UInt64]) throws(StorageError) {
        guard hasManifest else {
            for number in numbers { try read(number) }
            return
        }
        guard state.logFloor != 0 else { return }
        let needed = numbers.filter { $0 >= state.logFloor }
        if needed.first != state.logFloor { loseLog(state.logFloor, "a log that the store needs is missing") }
        for number in needed { try read(number) }
        if !needed.contains(state.newestLog), state.newestLog != state.logFloor {
            loseLog(state.newestLog, "a log that the store needs is missing")
        }
    }

    // MARK: Losses

    private mutating func loseLog(_ number: UInt64, _ reason: String) { lose(number, at: 0, reason) }

    private mutating func lose(_ number: UInt64, at offset: UInt64, _ reason: String) {
        losses.append(Loss(file: StoreLayout.logPath(number), offset: offset, bytes: nil, reason: reason))
        certainFrom = memtables.count
        needsMemtable = true
        predecessor = nil
    }

    // MARK: One log

    private mutating func read(_ number: UInt64) throws(StorageError) {
        do {
            try readWhole(number)
        } catch {
            guard error.isLossOfBytes else { throw error }
            lose(number, at: error.offset ?? 0, error.message)
        }
    }

    private mutating func readWhole(_ number: UInt64) throws(StorageError) {
        guard let directory else { return }
        let file: any ReadableFile
        do { file = try directory.open(StoreLayout.log(number)) } catch { throw error.storageError }
        defer { file.close() }
        guard let reader = try open(file, number), let header = reader.header else {
            logsWithoutHeader.insert(number)
            return
        }
        try follow(header, wasSynced: try wasSynced(file, number))
        if isBroken {
            let end = try reader.forEach { (record) throws(StorageError) in tornBytes += UInt64(record.payload.count) }
            tornBytes += end.tornBytes
            return
        }
        checkKnown(header.previous.lastSequence, number, at: 0)
        needsMemtable = true
        // Damage to a streamed value loses that value only: reading its entry reports it.
        var values = ValueReplay(header, self.values, checksStreams: false)
        while let record = try reader.next() {
            if values.broken != nil {
                tornBytes += UInt64(record.payload.count)
            } else if try !insert(record, number, &values) {
                return
            }
        }
        guard let end = reader.end else { return }
        tornBytes += end.tornBytes
        try values.finish(end)
        predecessor = LogPredecessor(
            number: number, size: values.broken?.offset ?? end.offset, lastSequence: lastSequence)
    }

    private func open(_ file: any ReadableFile, _ number: UInt64) throws(StorageError) -> LogReader? {
        try LogReader(file: file, path: StoreLayout.logPath(number), number: number, kind: .wal, mayLackHeader: true)
    }

    /// Returns true if any part of the log was ever durable. Damage that can be detected only in durable parts counts
    /// as such too.
    private func wasSynced(_ file: any ReadableFile, _ number: UInt64) throws(StorageError) -> Bool {
        do {
            guard let reader = try open(file, number) else { return false }
            return try reader.forEach { _ in }.lastSyncedOffset > 0
        } catch {
            guard error.isLossOfBytes else { throw error }
            return true
        }
    }

    /// Compares what the log records about its predecessor with what was found there, as ``LogReplay`` does.
    private mutating func follow(_ header: LogHeader, wasSynced: Bool) throws(StorageError) {
        let previous = header.previous
        if !isBroken, let before = predecessor, before.number != 0 || !logsWithoutHeader.isEmpty {
            if logsWithoutHeader.contains(previous.number) {
                isBroken = true
            } else if previous.number != before.number {
                loseLog(previous.number, "a log that the store needs is missing")
            } else {
                isBroken = previous.size > before.size
            }
        }
        guard isBroken, wasSynced else { return }
        isBroken = false
        lose(
            previous.number, at: predecessor?.size ?? 0, "the end of the log is missing, but a later log was synced")
    }

    /// Inserts a batch. Returns false if the rest of the log can't be read.
    private mutating func insert(
        _ record: LogRecord, _ number: UInt64, _ values: inout ValueReplay
    ) throws(StorageError) -> Bool {
        let batch: LoggedBatch
        do throws(ParseFailure) {
            batch = try LoggedBatch(validating: record.payload, isSingle: record.isSingle)
            guard batch.baseSequence > lastSequence, batch.lastSequence <= Trailer.sequenceMax else {
                throw ParseFailure("it repeats sequences")
            }
        } catch {
            lose(number, at: record.offset, "a batch does not parse: \(error.reason)")
            return false
        }
        guard try values.check(batch, at: record.offset, StoreLayout.logPath(number)) else {
            tornBytes += UInt64(record.payload.count)
            return true
        }
        checkKnown(batch.baseSequence - 1, number, at: record.offset)
        if hasManifest, batch.firstNamespace(from: state.catalogue.nextID) != nil { contradictsManifest = true }
        let memtable = try room(for: record.payload.count, batch.count)
        switch batch {
        case .batch(let operations): operations.apply(to: memtable)
        case .single(let operation): operation.apply(to: memtable)
        }
        lastSequence = batch.lastSequence
        return true
    }

    /// Every sequence is in a log or in the manifest. A sequence that is in neither belonged to something lost.
    private mutating func checkKnown(_ sequence: SequenceNumber, _ number: UInt64, at offset: UInt64) {
        guard hasManifest, sequence > max(lastSequence, state.lastSequence) else { return }
        // The known loss explains it.
        if predecessor == nil, losses.last != nil { return }
        let before = predecessor
        lose(number, at: offset, "sequences up to \(sequence) are in no log and not in the manifest")
        predecessor = before
    }

    private mutating func room(for bytes: Int, _ operations: Int) throws(StorageError) -> Memtable {
        if !needsMemtable, let last = memtables.last, last.hasRoom(bytes: bytes, operations: operations) { return last }
        do {
            memtables.append(Memtable(arena: try arenas.take(forBatchBytes: bytes, operations: operations)))
        } catch {
            throw error.storageError
        }
        needsMemtable = false
        return memtables[memtables.count - 1]
    }
}
