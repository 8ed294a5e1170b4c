import Shale
import ShaleBase

/// The question of a query, and the way to its answer.
struct QueryPlan: Sendable {
    let filter: Filter
    let order: [(field: Int, isDescending: Bool)]
    let after: SortKey?
    let path: AccessPath
    /// The place in the path at which the page begins; `nil` for its start.
    let hint: [UInt8]?
    /// `nil` if the records have to be sorted.
    let stream: StreamOrder?

    var scope: HintScope { HintScope(filter.fixedValues) }

    /// Returns the plan that reads all records behind a place, for an index that was dropped.
    func withoutIndexes(after last: SortKey?, _ layout: CollectionLayout) -> QueryPlan {
        let stream = StreamOrder(.all, order, fixed: Set(filter.fixedValues.keys), layout)
        return QueryPlan(
            filter: filter, order: order, after: last ?? after, path: .all, hint: nil, stream: stream)
    }

    /// Returns the plan for a question to which any order is right.
    func inAnyOrder() -> QueryPlan {
        QueryPlan(
            filter: filter, order: order, after: after, path: path, hint: stream == nil ? nil : hint,
            stream: stream ?? StreamOrder(isReversed: false))
    }
}

extension CollectionBase {
    private static let readAttempts = 64

    /// Reads at a new moment, and again at another one if a namespace was dropped meanwhile: a change of the schema
    /// drops indexes at once.
    func reading<R>(_ body: (Store.Snapshot) throws(StorageError) -> R) throws(StorageError) -> R {
        for _ in 1..<Self.readAttempts {
            do throws(StorageError) {
                return try body(try records.snapshot())
            } catch {
                guard error.code == .namespaceDropped else { throw error }
            }
        }
        return try body(try records.snapshot())
    }
}

/// The numbers of items that a run of a query has read.
struct QueryCounts: Sendable, Hashable {
    var entries = 0
    var records = 0
    var stale = 0
}

/// One run of a query at one moment. Used by one thread.
///
/// It knows no type of records: they are decoded, and stay where they were decoded while the run checks them and passes
/// them on.
final class QueryRun {
    /// The number of index entries that are read before their records.
    private static let groupMax = 32
    /// The number of wanted records from which a walk expects to read many entries.
    private static let manyMin = 16

    let base: CollectionBase
    let plan: QueryPlan
    private(set) var counts = QueryCounts()
    private(set) var failures: [RecordFailure] = []
    /// The number of records that `visit` will take, as far as that is known. Index entries are read ahead up to it.
    var wanted = 1
    private var visited = 0
    private var readsAhead = false
    private var seen: Set<[UInt8]> = []
    private let reader: RecordReading
    /// Memory for the keys that entries are compared with.
    @exclusivity(unchecked)
    private var scratch = IndexKey()

    init(_ base: CollectionBase, _ plan: QueryPlan) {
        self.base = base
        self.plan = plan
        reader = base.decoder.makeReader()
    }

    /// Called with a record. Returns false to end the walk.
    typealias Visit = (QueryMatch) throws(StorageError) -> Bool

    /// Returns the record of a match, once: its address is not valid any more. `Record` must be its type.
    func take<Record: Codable & Sendable>(_ match: QueryMatch, as type: Record.Type) -> Record {
        guard match.isInReader else { return match.record.record(as: Record.self) }
        return unsafe unsafeDowncast(reader, to: RecordReader<Record>.self).take()
    }

    /// Calls `visit` with the records of the path that satisfy the condition, in the order of the path, until it
    /// returns false.
    func walk(
        at moment: borrowing some ReadMoment & ~Copyable, isReversed: Bool, _ visit: Visit
    ) throws(StorageError) {
        readsAhead = !moment.conflicts
        _ = try walk(plan.path, moment[base.records].source, at: moment, isReversed, visit)
    }

    /// Returns false if `visit` has ended the walk.
    private func walk(
        _ path: AccessPath, _ records: Store.Namespace.Source, at moment: borrowing some ReadMoment & ~Copyable,
        _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        switch path {
        case .nothing: break
        case .all: return try walk(records: .prefix([]), records, isReversed, visit)
        case .primary(let ranges):
            for range in isReversed ? ranges.reversed() : ranges {
                guard try walk(records: range, records, isReversed, visit) else { return false }
            }
        case .index(let index, let ranges, _):
            let entries = moment[index.namespace].source
            for range in isReversed ? ranges.reversed() : ranges {
                guard try walk(index, range, entries, records, isReversed, visit) else { return false }
            }
        case .union(let paths):
            // A record that several paths find is delivered once.
            for path in paths {
                let goesOn = try walk(path, records, at: moment, false) { (match) throws(StorageError) in
                    seen.insert(match.key).inserted ? try visit(match) : true
                }
                guard goesOn else { return false }
            }
        }
        return true
    }

    /// Returns the part of a range from the page's beginning on.
    private func rest(of range: ByteRange, _ isReversed: Bool) -> KeyRange {
        guard let hint = plan.hint else { return range.keyRange }
        let rest = isReversed ? ByteRange(lower: [], upper: KeyRange.successor(ofPrefix: hint)) : ByteRange(lower: hint)
        return range.intersection(rest).keyRange
    }

    private func walk(
        records range: ByteRange, _ records: Store.Namespace.Source, _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        guard var walk = try NamespaceWalk(records, rest(of: range, isReversed), isReversed: isReversed) else {
            return true
        }
        var key: [UInt8] = []
        while try walk.next() {
            counts.records += 1
            var found: Result<VersionedDocument, StorageError>?
            walk.document { (foundKey, document) in
                key.removeAll(keepingCapacity: true)
                unsafe foundKey.withUnsafeBytes { unsafe key.append(contentsOf: $0) }
                found = document
            }
            guard let found else { return true }
            let goesOn = try key.withBytes { (key) throws(StorageError) in
                let record: RecordAddress
                do throws(StorageError) {
                    record = try reader.read(try found.get())
                } catch {
                    try fail(key, error)
                    return true
                }
                guard try matches(record, key) else { return true }
                return try visit(QueryMatch(found: record, key, key, nil))
            }
            guard goesOn else { return false }
        }
        return true
    }

    private func walk(
        _ index: OpenIndex, _ range: ByteRange, _ entries: Store.Namespace.Source, _ records: Store.Namespace.Source,
        _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        let range = rest(of: range, isReversed)
        let readsMany = readsAhead && wanted >= QueryRun.manyMin
        guard var walk = try NamespaceWalk(entries, range, isReversed: isReversed, readsMany: readsMany) else {
            return true
        }
        var ahead = EntryGroup(invertsPrimary: index.layout.invertsPrimary)
        var documents = DocumentGroup()
        while true {
            let count = readsAhead ? min(QueryRun.groupMax, max(1, wanted - visited)) : 1
            ahead.removeAll()
            while ahead.count < count, try walk.next() { try ahead.append(walk) }
            if ahead.count == 0 { return true }
            counts.entries += ahead.count
            try records.read(documentsOf: ahead.primaries, into: &documents)
            for position in 0..<ahead.count {
                guard try deliver(ahead, position, documents, index, visit) else { return false }
            }
        }
    }

    /// Passes the record that an entry names to `visit`, unless the entry is stale: the record is missing, or has
    /// another entry. Without this check a record could be found by a value that it no longer has, or twice.
    private func deliver(
        _ ahead: EntryGroup, _ position: Int, _ documents: DocumentGroup, _ index: OpenIndex, _ visit: Visit
    ) throws(StorageError) -> Bool {
        counts.records += 1
        return try ahead.withEntry(position) { (key, primary) throws(StorageError) in
            let record: RecordAddress
            do throws(StorageError) {
                guard let document = try documents.document(position) else {
                    counts.stale += 1
                    return true
                }
                record = try reader.read(document)
            } catch {
                try fail(primary, error)
                return true
            }
            guard unsafe index.layout.hasEntry(of: record, primary, key: key, &scratch) else {
                counts.stale += 1
                return true
            }
            guard try matches(record, primary) else { return true }
            visited += 1
            return try visit(QueryMatch(found: record, primary, key, ahead.cutEnds[position]))
        }
    }

    private func matches(_ record: RecordAddress, _ key: Bytes) throws(StorageError) -> Bool {
        guard try plan.filter.matches(record, base.layout.fields) else { return false }
        guard let after = plan.after else { return true }
        return after < place(of: record, key.array())
    }

    /// Returns the place of a record in the order of the query.
    func place(of record: RecordAddress, _ key: [UInt8]) -> SortKey {
        SortKey(of: record, key, plan.order, base.layout)
    }

    /// Notes a record that can't be read. Throws an error that is not of one record.
    private func fail(_ key: Bytes, _ error: StorageError) throws(StorageError) {
        guard RecordFailure.isOfRecord(error) else { throw error }
        let key = RecordKey(bytes: key.array())
        guard !failures.contains(where: { $0.key == key }) else { return }
        failures.append(RecordFailure(key: key, error: error))
        base.records.record(error, .read)
    }
}
