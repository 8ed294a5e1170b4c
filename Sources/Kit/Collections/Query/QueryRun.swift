import Shale
import ShaleBase

/// The question of a query, and the way to its answer.
struct QueryPlan<Record: Codable & Sendable>: Sendable {
    let filter: Filter<Record>
    let order: [(field: Int, isDescending: Bool)]
    let after: SortKey?
    let path: AccessPath<Record>
    /// The place in the path at which the page begins; `nil` for its start.
    let hint: [UInt8]?
    /// `nil` if the records have to be sorted.
    let stream: StreamOrder?
    let scope: HintScope

    /// Returns the plan that reads all records behind a place, for an index that was dropped.
    func withoutIndexes(after last: SortKey?, _ layout: CollectionLayout<Record>) -> QueryPlan {
        let stream = StreamOrder(AccessPath<Record>.all, order, fixed: Set(filter.fixedValues.keys), layout)
        return QueryPlan(
            filter: filter, order: order, after: last ?? after, path: .all, hint: nil, stream: stream, scope: scope)
    }
}

extension CollectionCore {
    private static var readAttempts: Int { 64 }

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

/// A record that a query found.
struct QueryMatch<Record: Sendable>: Sendable {
    let key: RecordKey
    let record: Record
    let place: SortKey
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
final class QueryRun<Record: Codable & Sendable> {
    /// A sorted query that needs only the first records forgets the others whenever it holds twice as many.
    private static var excess: Int { 2 }

    let core: CollectionCore<Record>
    let plan: QueryPlan<Record>
    private(set) var counts = QueryCounts()
    private(set) var failures: [RecordFailure] = []
    private var seen: Set<[UInt8]> = []

    init(_ core: CollectionCore<Record>, _ plan: QueryPlan<Record>) {
        self.core = core
        self.plan = plan
    }

    /// Calls `body` with the records in the wanted order until it returns false. `limit` is the number that `body` will
    /// take at most.
    func forEach(
        at moment: borrowing some ReadMoment & ~Copyable, limit: Int,
        _ body: (QueryMatch<Record>) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard limit > 0 else { return }
        if let stream = plan.stream { return try streamed(at: moment, stream, body) }
        var matches: [QueryMatch<Record>] = []
        try walk(plan.path, at: moment, isReversed: false) { (match, _) throws(StorageError) in
            matches.append(match)
            if limit < Int.max / QueryRun.excess, matches.count >= max(1024, limit * QueryRun.excess) {
                matches.sort { $0.place < $1.place }
                matches.removeLast(matches.count - limit)
            }
            return true
        }
        matches.sort { $0.place < $1.place }
        for match in matches where !(try body(match)) { return }
    }

    /// Delivers records in the order of the path. Records whose values were cut at the same place in the index are
    /// neighbours, and are sorted among themselves.
    private func streamed(
        at moment: borrowing some ReadMoment & ~Copyable, _ stream: StreamOrder,
        _ body: (QueryMatch<Record>) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var group: [QueryMatch<Record>] = []
        var groupStart: [UInt8]?
        var isStopped = false
        func flush() throws(StorageError) {
            group.sort { $0.place < $1.place }
            for match in group where !isStopped { isStopped = !(try body(match)) }
            group.removeAll()
            groupStart = nil
        }
        try walk(plan.path, at: moment, isReversed: stream.isReversed) { (match, cut) throws(StorageError) in
            if cut != groupStart { try flush() }
            guard !isStopped else { return false }
            guard cut != nil else {
                isStopped = !(try body(match))
                return !isStopped
            }
            groupStart = cut
            group.append(match)
            return true
        }
        if !isStopped { try flush() }
    }

    /// Returns the part of a range from the page's beginning on.
    private func rest(of range: ByteRange, _ isReversed: Bool) -> ByteRange {
        guard let hint = plan.hint else { return range }
        let rest = isReversed ? ByteRange(lower: [], upper: KeyRange.successor(ofPrefix: hint)) : ByteRange(lower: hint)
        return range.intersection(rest)
    }

    // MARK: Walks

    private typealias Visit = (QueryMatch<Record>, _ cut: [UInt8]?) throws(StorageError) -> Bool

    /// Calls `visit` with the records of a path that satisfy the condition, until it returns false.
    private func walk(
        _ path: AccessPath<Record>, at moment: borrowing some ReadMoment & ~Copyable, isReversed: Bool,
        _ visit: Visit
    ) throws(StorageError) {
        switch path {
        case .nothing: return
        case .all: _ = try walk(records: .prefix([]), at: moment, isReversed, visit)
        case .primary(let ranges):
            for range in isReversed ? ranges.reversed() : ranges {
                guard try walk(records: range, at: moment, isReversed, visit) else { return }
            }
        case .index(let index, let ranges, _):
            for range in isReversed ? ranges.reversed() : ranges {
                guard try walk(index, range, at: moment, isReversed, visit) else { return }
            }
        case .union(let paths):
            // A record that several paths find is delivered once.
            for path in paths {
                try walk(path, at: moment, isReversed: false) { (match, cut) throws(StorageError) in
                    seen.insert(match.key.bytes).inserted ? try visit(match, cut) : true
                }
            }
        }
    }

    private func walk(
        records range: ByteRange, at moment: borrowing some ReadMoment & ~Copyable, _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        let scan = moment[core.records].entries(in: rest(of: range, isReversed).keyRange)
        let cursor = (isReversed ? scan.reversed() : scan).cursor()
        while let entry = try cursor.next() {
            counts.records += 1
            let key = RecordKey(bytes: entry.key.bytes)
            let record: Record
            do throws(StorageError) {
                record = try entry.value(using: core.codec)
            } catch {
                try fail(key, error)
                continue
            }
            guard let match = try match(key, record, key.bytes) else { continue }
            guard try visit(match, nil) else { return false }
        }
        return true
    }

    private func walk(
        _ index: OpenIndex<Record>, _ range: ByteRange, at moment: borrowing some ReadMoment & ~Copyable,
        _ isReversed: Bool, _ visit: Visit
    ) throws(StorageError) -> Bool {
        let scan = moment[index.namespace].entries(in: rest(of: range, isReversed).keyRange)
        let cursor = (isReversed ? scan.reversed() : scan).cursor()
        while let entry = try cursor.next() {
            counts.entries += 1
            let found = try IndexEntryValue(
                try entry.value(as: [UInt8].self), key: entry.key.bytes, invertsPrimary: index.layout.invertsPrimary)
            guard let (key, record) = try verified(entry.key.bytes, found, index, at: moment) else { continue }
            let cut = found.cutEnd.map { Array(entry.key.bytes[..<$0]) }
            guard let match = try match(key, record, cut ?? entry.key.bytes) else { continue }
            guard try visit(match, cut) else { return false }
        }
        return true
    }

    /// Returns the record that an entry names; `nil` if the entry is stale: the record is missing, or has another
    /// entry. Without this check a record could be found by a value that it no longer has, or twice.
    private func verified(
        _ key: [UInt8], _ found: IndexEntryValue, _ index: OpenIndex<Record>,
        at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> (RecordKey, Record)? {
        counts.records += 1
        do throws(StorageError) {
            if let record = try core.record(found.primary, at: moment),
                index.layout.entry(of: record, found.primary).key == key
            {
                return (RecordKey(bytes: found.primary), record)
            }
        } catch {
            try fail(RecordKey(bytes: found.primary), error)
            return nil
        }
        counts.stale += 1
        return nil
    }

    private func match(
        _ key: RecordKey, _ record: Record, _ hint: [UInt8]
    ) throws(StorageError) -> QueryMatch<Record>? {
        guard try plan.filter.matches(record, core.layout.fields) else { return nil }
        let place = SortKey(of: record, key.bytes, plan.order, core.layout)
        if let after = plan.after, !(after < place) { return nil }
        return QueryMatch(key: key, record: record, place: place, hint: hint)
    }

    private func fail(_ key: RecordKey, _ error: StorageError) throws(StorageError) {
        guard RecordFailure.isOfRecord(error) else { throw error }
        guard !failures.contains(where: { $0.key == key }) else { return }
        failures.append(RecordFailure(key: key, error: error))
        core.records.record(error, .read)
    }
}
