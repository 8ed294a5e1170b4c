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

/// A record that a run of a query found. Valid during the call that passes it.
struct QueryMatch {
    let key: [UInt8]
    let record: RecordAddress
    /// The place in the path: all earlier places were delivered.
    let hint: [UInt8]
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
    let base: CollectionBase
    let plan: QueryPlan
    private(set) var counts = QueryCounts()
    private(set) var failures: [RecordFailure] = []
    /// The number of records that `visit` will take, as far as that is known. Index entries are read ahead up to it.
    var wanted = 1
    private var visited = 0
    private var readsAhead = false
    private var seen: Set<[UInt8]> = []
    /// Memory for the keys that entries are compared with.
    private var scratch = IndexKey()

    init(_ base: CollectionBase, _ plan: QueryPlan) {
        self.base = base
        self.plan = plan
    }

    /// Called with a record and, if it was found by a value that its index cuts, with what all such values share.
    /// Returns false to end the walk.
    typealias Visit = (QueryMatch, _ cut: [UInt8]?) throws(StorageError) -> Bool

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
                let goesOn = try walk(path, records, at: moment, false) { (match, cut) throws(StorageError) in
                    seen.insert(match.key).inserted ? try visit(match, cut) : true
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
        while try walk.next() {
            counts.records += 1
            var found: (key: [UInt8], document: Result<VersionedDocument, StorageError>)?
            walk.document { (key, document) in found = (unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }, document) }
            guard let (key, document) = found else { return true }
            let isWanted = try take(key, document) { (record) throws(StorageError) in
                guard try matches(record, key) else { return true }
                return try visit(QueryMatch(key: key, record: record, hint: key), nil)
            }
            guard isWanted else { return false }
        }
        return true
    }

    private func walk(
        _ index: OpenIndex, _ range: ByteRange, _ entries: Store.Namespace.Source, _ records: Store.Namespace.Source,
        _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        guard var walk = try NamespaceWalk(entries, rest(of: range, isReversed), isReversed: isReversed) else {
            return true
        }
        var ahead: [(key: [UInt8], value: IndexEntryValue)] = []
        while true {
            let count = readsAhead ? min(Store.Namespace.Source.lookAheadMax, max(1, wanted - visited)) : 1
            ahead.removeAll(keepingCapacity: true)
            while ahead.count < count, try walk.next() { ahead.append(try entry(walk, of: index)) }
            if ahead.isEmpty { return true }
            let documents = try documents(of: ahead, records)
            for position in ahead.indices {
                let (key, value) = ahead[position]
                guard try deliver(key, value, documents[position], index, visit) else { return false }
            }
        }
    }

    /// Returns the documents that entries name, in one lookup.
    private func documents(
        of entries: [(key: [UInt8], value: IndexEntryValue)], _ records: Store.Namespace.Source
    ) throws(StorageError) -> [Result<VersionedDocument?, StorageError>] {
        let keys = entries.map(\.value.primary)
        guard keys.count > 1 else {
            return keys.map { (key) in Result { () throws(StorageError) in try records.document(forKey: key) } }
        }
        try records.lookAhead(keys)
        return try records.documents(forKeys: keys)
    }

    /// Returns a copy of a walk's current entry.
    private func entry(
        _ walk: borrowing NamespaceWalk, of index: OpenIndex
    ) throws(StorageError) -> (key: [UInt8], value: IndexEntryValue) {
        counts.entries += 1
        let invertsPrimary = index.layout.invertsPrimary
        var found: (key: [UInt8], value: IndexEntryValue)?
        try walk.withBytes { (key, value) throws(StorageError) in
            let key = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
            let value = try unsafe value.withUnsafeBytes { (value) throws(StorageError) in
                try key.withBytes { (key) throws(StorageError) in
                    try IndexEntryValue(unsafe Bytes(value), key: key, invertsPrimary: invertsPrimary)
                }
            }
            found = (key, value)
        }
        guard let found else { throw .corruption("an index entry can't be read") }
        return found
    }

    /// Passes the record that an entry names to `visit`, unless the entry is stale: the record is missing, or has
    /// another entry. Without this check a record could be found by a value that it no longer has, or twice.
    private func deliver(
        _ key: [UInt8], _ value: IndexEntryValue, _ found: Result<VersionedDocument?, StorageError>,
        _ index: OpenIndex, _ visit: Visit
    ) throws(StorageError) -> Bool {
        counts.records += 1
        let document: VersionedDocument?
        do throws(StorageError) {
            document = try found.get()
        } catch {
            try fail(value.primary, error)
            return true
        }
        guard let document else {
            counts.stale += 1
            return true
        }
        return try take(value.primary, .success(document)) { (record) throws(StorageError) in
            guard index.layout.hasEntry(of: record, value.primary, key: key, &scratch) else {
                counts.stale += 1
                return true
            }
            guard try matches(record, value.primary) else { return true }
            let cut = value.cutEnd.map { Array(key[..<$0]) }
            visited += 1
            return try visit(QueryMatch(key: value.primary, record: record, hint: cut ?? key), cut)
        }
    }

    /// Decodes a record and passes its address to `body`. A record that can't be read is noted. Returns the result of
    /// `body`; true if it was not called.
    private func take(
        _ key: [UInt8], _ document: Result<VersionedDocument, StorageError>,
        _ body: (RecordAddress) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var result: Result<Bool, StorageError> = .success(true)
        do throws(StorageError) {
            try base.decoder.withRecord(of: try document.get()) { (record) in
                result = Result { () throws(StorageError) in try body(record) }
            }
        } catch {
            try fail(key, error)
        }
        return try result.get()
    }

    private func matches(_ record: RecordAddress, _ key: [UInt8]) throws(StorageError) -> Bool {
        guard try plan.filter.matches(record, base.layout.fields) else { return false }
        guard let after = plan.after else { return true }
        return after < place(of: record, key)
    }

    /// Returns the place of a record in the order of the query.
    func place(of record: RecordAddress, _ key: [UInt8]) -> SortKey {
        SortKey(of: record, key, plan.order, base.layout)
    }

    private func fail(_ key: [UInt8], _ error: StorageError) throws(StorageError) {
        guard RecordFailure.isOfRecord(error) else { throw error }
        let key = RecordKey(bytes: key)
        guard !failures.contains(where: { $0.key == key }) else { return }
        failures.append(RecordFailure(key: key, error: error))
        base.records.record(error, .read)
    }
}
