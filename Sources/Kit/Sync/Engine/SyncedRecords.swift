import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import Synchronization

/// A collection without its record type, as the engine uses it.
protocol SyncedRecords: Sendable {
    var name: String { get }
    var states: Store.Namespace { get }
    /// Versions of records that don't decode here, under the keys of the records.
    var unreadable: Store.Namespace { get }
    /// True if the rule needs the versions that changes were made on.
    var needsBase: Bool { get }
    /// The options of everything that has documents of the collection.
    var options: ValueOptions { get throws(StorageError) }

    /// Called before a record becomes read-only, because the server's version does not decode here.
    func noteUnreadable()

    /// True if there is a record, whether it decodes or not.
    func contains(_ key: [UInt8], in transaction: borrowing Store.Transaction) throws(StorageError) -> Bool

    /// Returns the record here with the members that its type does not have.
    func document(
        _ key: [UInt8], extra: [UInt8]?, at moment: Store.Snapshot
    ) throws(StorageError) -> [UInt8]?

    /// Returns the same as a transaction sees it.
    func document(
        _ key: [UInt8], extra: [UInt8]?, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> [UInt8]?

    /// Stores the record of a document; `nil` deletes it. Returns the members that the record type does not have.
    ///
    /// - Throws: ``UnreadableDocument`` as the cause, if the document is no record here.
    func apply(
        _ document: [UInt8]?, _ key: [UInt8], in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> [UInt8]?

    /// True if a document is a record here.
    func isReadable(_ document: [UInt8]) -> Bool

    /// Returns the result of a conflict.
    func merge(_ sides: DocumentSides) -> DocumentMerge
}

/// The cause of an error: a document does not decode to the record type, or breaks a constraint of the collection.
struct UnreadableDocument: Error {
    static func error(_ cause: StorageError) -> StorageError {
        StorageError(.codecFailure, "a document is no record here: \(cause.message)", cause: UnreadableDocument())
    }
}

/// A collection, and the journal of its changes.
///
/// The application writes through a handle with this journal. The engine applies what it pulled through a handle
/// without one, so that applied changes never become pending (invariant S-4 of "How synchronisation works").
final class SyncedCollection<Record: Codable & Sendable>: SyncedRecords, RecordJournal {
    /// The collection without the journal.
    let records: RecordCollection<Record>
    let rule: ConflictRule<Record>
    let states: Store.Namespace
    let unreadable: Store.Namespace
    private let space: SyncSpace
    private let clock: HybridClock
    private let isConfidential: Bool
    private let mayBeUnreadable = Atomic(false)
    /// Names of members that the record type has encoded.
    private let members = Locked<Set<String>>([])

    var name: String { records.name }

    init(
        _ records: RecordCollection<Record>, _ rule: ConflictRule<Record>, _ space: SyncSpace, _ clock: HybridClock
    ) {
        self.records = records
        self.rule = rule
        self.space = space
        self.clock = clock
        states = space.states(of: records.name)
        unreadable = space.unreadable(of: records.name)
        isConfidential = records.schema.hidesIndexedValues
    }

    var options: ValueOptions {
        get throws(StorageError) {
            let encrypts = try records.namespace.encryptsByDefault
            return isConfidential || encrypts ? [.notPurgeable, .neverExpires, .encrypted] : SyncSpace.options
        }
    }

    // MARK: The journal

    /// Takes note of the change in its transaction, so that both are there or none. Without a rule that needs the
    /// version before, this is one write and no read.
    func note(
        _ key: RecordKey, replacing old: Record?, isDeleted: Bool, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let journalKey = SyncAddress(name, key.bytes).bytes
        var base: [UInt8]?
        if mayBeUnreadable.load(ordering: .relaxed), try state(key, in: transaction).isUnreadable {
            throw StorageError(
                .newerFormat, "the server has a version of the record that can't be read here collection=\(name)")
        }
        if rule.needsBase {
            if let earlier = try transaction.journalEntry(journalKey, in: space.journal) {
                base = earlier.base
            } else if let old {
                let state = try state(key, in: transaction)
                base = state.isPending ? nil : try document(old, state.extra)
            }
        }
        let entry = JournalEntry(order: space.order(), isDeletion: isDeleted, base: base, clock: clock)
        space.countChange()
        try transaction.setBytes(
            entry.bytes, forKey: journalKey, in: space.journal, options: base == nil ? SyncSpace.options : try options)
    }

    private func state(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> RecordState {
        try transaction.state(key.bytes, in: states) ?? RecordState()
    }

    /// Takes note that a record became read-only. A change that does not see this yet is kept as lost when it is
    /// collected.
    func noteUnreadable() { mayBeUnreadable.store(true, ordering: .relaxed) }

    // MARK: Documents

    private func document(_ record: Record, _ extra: [UInt8]?) throws(StorageError) -> [UInt8] {
        let own = try DocumentCoding.encode(record)
        guard let extra, let others = try JSONObject(extra), var object = try JSONObject(own) else { return own }
        object.members.merge(others.members) { own, _ in own }
        return object.bytes
    }

    func contains(_ key: [UInt8], in transaction: borrowing Store.Transaction) throws(StorageError) -> Bool {
        try transaction.hasKey(key, in: records.namespace)
    }

    func document(
        _ key: [UInt8], extra: [UInt8]?, at moment: Store.Snapshot
    ) throws(StorageError) -> [UInt8]? {
        guard let record = try records.record(RecordKey(storedBytes: key), at: moment) else { return nil }
        return try document(record, extra)
    }

    func document(
        _ key: [UInt8], extra: [UInt8]?, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> [UInt8]? {
        guard let record = try records.record(RecordKey(storedBytes: key), in: transaction) else { return nil }
        return try document(record, extra)
    }

    func apply(
        _ document: [UInt8]?, _ key: [UInt8], in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> [UInt8]? {
        let key = RecordKey(storedBytes: key)
        guard let document else {
            try records.delete(key, in: transaction)
            return nil
        }
        do throws(StorageError) {
            let record = try DocumentCoding.decode(Record.self, document)
            try records.put(record, at: key, in: transaction)
            return try extra(of: document, record)
        } catch {
            switch error.code {
            case .codecFailure, .constraintViolated, .invalidArgument: throw UnreadableDocument.error(error)
            default: throw error
            }
        }
    }

    /// Returns the members of a document that the record does not encode.
    ///
    /// Most documents have only members that the type has encoded before, and nothing is encoded for them.
    private func extra(of document: [UInt8], _ record: Record) throws(StorageError) -> [UInt8]? {
        guard var object = try JSONObject(document) else { return nil }
        let isKnown = members.withLock { members in object.members.keys.allSatisfy { members.contains($0) } }
        guard !isKnown, let own = try JSONObject(try DocumentCoding.encode(record)) else { return nil }
        members.withLock { $0.formUnion(own.members.keys) }
        for name in own.members.keys { object.members[name] = nil }
        return object.members.isEmpty ? nil : object.bytes
    }

    // MARK: Conflicts

    var needsBase: Bool { rule.needsBase }

    func isReadable(_ document: [UInt8]) -> Bool {
        do throws(StorageError) {
            _ = try DocumentCoding.decode(Record.self, document)
            return true
        } catch {
            return false
        }
    }

    func merge(_ sides: DocumentSides) -> DocumentMerge {
        if needsBase, let merge = sides.unchangedSide { return merge }
        do {
            switch rule.kind {
            case .lastWriter: return sides.equalSides ?? sides.byLastWriter
            case .fieldByField: return try sides.equalSides ?? sides.byField
            // Equal records may be two changes: two increments of a counter, for example.
            case .merging(let merge): return try merged(sides, by: merge)
            }
        } catch {
            // A document that is no object or no record, and an error of the closure: the later change wins.
            return sides.byLastWriter
        }
    }

    private func merged(
        _ sides: DocumentSides, by merge: (ConflictRule<Record>.Versions) throws -> Record?
    ) throws -> DocumentMerge {
        func record(_ document: [UInt8]?) throws(StorageError) -> Record? {
            try document.map { (document) throws(StorageError) in try DocumentCoding.decode(Record.self, document) }
        }
        let result = try merge(
            ConflictRule<Record>.Versions(
                base: try record(sides.base), mine: try record(sides.mine), theirs: try record(sides.theirs),
                mineIsLater: sides.mineIsLater))
        guard let result else { return DocumentMerge(document: nil, hasLoss: true) }
        // Members that the record type does not have stay the server's.
        let theirs = try sides.theirs.flatMap { (theirs) throws(StorageError) in
            try extra(of: theirs, try DocumentCoding.decode(Record.self, theirs))
        }
        return DocumentMerge(document: try document(result, theirs), hasLoss: true)
    }
}
