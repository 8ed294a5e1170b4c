public import Shale
import ShaleBase

/// Some of the records that a query finds.
public struct RecordPage<Record: Sendable>: Sendable {
    public let records: [Record]
    /// The keys of the records, in the same order.
    public let keys: [RecordKey]
    /// The place behind the last record; `nil` if the limit was not reached, so that no record follows.
    public let next: QueryCursor?
    /// The records that can't be read. They are in no page, and each is reported once.
    public let failures: [RecordFailure]
}

/// The end of an answer that was delivered record by record.
public struct RecordQueryEnd: Sendable {
    /// The place behind the last record; `nil` if the limit was not reached, so that no record follows.
    public let next: QueryCursor?
    /// The records that can't be read, each once. They were not delivered.
    public let failures: [RecordFailure]
}

/// Answers. All of them throw `.schemaMismatch` if another opening has changed the schema, `.invalidArgument` for a
/// criterion that is no field and for a cursor of another order, and the errors of reads.
///
/// A record that can't be decoded is left out. ``page()`` returns it in ``RecordPage/failures``, and every answer
/// reports it to `Store.health`.
extension RecordQuery {
    /// Returns the records.
    ///
    /// - Complexity: O(records read), see ``explain()``. Unless an index delivers the order, the records that are found
    ///   are sorted in memory; with a limit, about twice the limit of them are held.
    public func records() throws(StorageError) -> [Record] {
        try core.base.reading { (moment) throws(StorageError) in try records(at: moment) }
    }

    /// Returns the keys of the records.
    public func keys() throws(StorageError) -> [RecordKey] {
        try core.base.reading { (moment) throws(StorageError) in try keys(at: moment) }
    }

    /// Returns the first record; `nil` if there is none.
    public func first() throws(StorageError) -> Record? { try limit(min(limit, 1)).records().first }

    /// Returns the records with their keys, the records that can't be read, and the place to continue at.
    public func page() throws(StorageError) -> RecordPage<Record> {
        try core.base.reading { (moment) throws(StorageError) in try page(at: moment) }
    }

    /// Does the same as a part of a transaction, which sees its own changes. The transaction conflicts if another
    /// writer changes anything that was read.
    public func page(in transaction: borrowing Store.Transaction) throws(StorageError) -> RecordPage<Record> {
        try page(at: transaction)
    }

    /// Returns one property of each record.
    ///
    /// If the property is a stored one and a field of the schema, and so is everything that the condition compares,
    /// only these fields are read from the bytes of the records. Otherwise the records are decoded.
    public func values<Value: FieldValue>(
        of field: any KeyPath<Record, Value> & Sendable
    ) throws(StorageError) -> [Value] {
        let moment = try core.records.snapshot()
        let path: AnyKeyPath = field
        if let position = core.layout.fields.firstIndex(where: { ($0.path as AnyKeyPath) == path }),
            let projection = try Projection(self, field, position, at: moment)
        {
            return try projection.values(at: moment)
        }
        return try records(at: moment).map { $0[keyPath: field] }
    }

    /// Calls `body` with each record and its key. One record is in memory at a time if an index delivers the order.
    /// Returns the place behind the last record.
    @discardableResult
    public func forEach(
        _ body: (RecordKey, Record) throws(StorageError) -> Void
    ) throws(StorageError) -> RecordQueryEnd {
        let moment = try core.records.snapshot()
        return try forEach(at: moment) { (match, run) throws(StorageError) in
            try match.record.with(Record.self) { (record) throws(StorageError) in
                try body(RecordKey(bytes: match.key), record)
            }
        }
    }

    /// Returns the number of records, at most the limit. A record that can't be decoded counts if no record is read.
    ///
    /// - Complexity: O(blocks) without reading records if the condition is exactly a range of an index, or none, and if
    ///   no record was removed without its index entries: see the article "How collections work". Otherwise O(records
    ///   read). The first count with an index after an opening that did not create the collection, and after a purge, a
    ///   truncation or a policy removed something, also counts the records and the index, which is O(blocks) again.
    public func count() throws(StorageError) -> Int {
        try core.base.reading { (moment) throws(StorageError) in
            if cursor == nil, let covered = try coveredCount(moment) { return min(covered, limit) }
            return try matchCount(at: moment)
        }
    }

    /// Returns true if there is a record. Reads no more than one that satisfies the condition.
    public func exists() throws(StorageError) -> Bool {
        try core.base.reading { (moment) throws(StorageError) in try exists(at: moment) }
    }

    private func exists(at moment: Store.Snapshot) throws(StorageError) -> Bool {
        var query = self
        // Any record will do, so the order of the path is right. A cursor is a place in its own order.
        if cursor == nil { query.order = [] }
        query.limit = 1
        return try query.matchCount(at: moment) > 0
    }

    func matchCount(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> Int {
        guard limit > 0 else { return 0 }
        let plan = try plan(at: moment).inAnyOrder()
        var count = 0
        let run = QueryRun(core.base, plan)
        run.wanted = limit
        try run.walk(at: moment, isReversed: plan.stream?.isReversed ?? false) { (_) in
            count += 1
            return count < limit
        }
        return count
    }
}

extension RecordQuery {
    /// The largest limit for which a page reserves memory before it finds a record.
    private static var reservedMax: Int { 64 }

    func page(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> RecordPage<Record> {
        var (records, keys): ([Record], [RecordKey]) = ([], [])
        if limit <= Self.reservedMax {
            records.reserveCapacity(limit)
            keys.reserveCapacity(limit)
        }
        let end = try forEach(at: moment) { (match, run) in
            keys.append(RecordKey(bytes: match.key))
            records.append(run.take(match, as: Record.self))
        }
        return RecordPage(records: records, keys: keys, next: end.next, failures: end.failures)
    }

    /// Returns the records of a page that no other one follows, so that it needs no cursor.
    func records(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> [Record] {
        var records: [Record] = []
        if limit <= Self.reservedMax { records.reserveCapacity(limit) }
        _ = try forEach(at: moment, hasCursor: false) { (match, run) in
            records.append(run.take(match, as: Record.self))
        }
        return records
    }

    /// Returns the keys of such a page.
    func keys(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> [RecordKey] {
        var keys: [RecordKey] = []
        _ = try forEach(at: moment, hasCursor: false) { (match, _) in keys.append(RecordKey(bytes: match.key)) }
        return keys
    }

    /// Calls `body` with each match and the run that has found it, and may take the record from the run.
    private func forEach(
        at moment: borrowing some ReadMoment & ~Copyable, hasCursor: Bool = true,
        _ body: (QueryMatch, QueryRun) throws(StorageError) -> Void
    ) throws(StorageError) -> RecordQueryEnd {
        var plan = try plan(at: moment)
        var count = 0
        var next: QueryCursor?
        var last: [UInt8] = []
        var isOfCaller = false
        while true {
            let run = QueryRun(core.base, plan)
            do throws(StorageError) {
                try run.forEach(Record.self, at: moment, limit: limit - count) { (match) throws(StorageError) in
                    match.copyKey(to: &last)
                    count += 1
                    // Before the record is taken.
                    if hasCursor, count == limit { next = cursor(behind: match, run) }
                    isOfCaller = true
                    try body(match, run)
                    isOfCaller = false
                    return count < limit
                }
                return RecordQueryEnd(next: next, failures: run.failures)
            } catch {
                // A change of the schema drops indexes at once. The records are still those of the moment.
                guard error.code == .namespaceDropped, !isOfCaller, plan.path.usesIndexes else { throw error }
                var place: SortKey?
                if count > 0 { place = try core.base.withRecord(last, at: moment) { run.place(of: $0, last) } }
                plan = plan.withoutIndexes(after: place, core.layout)
            }
        }
    }

    /// Returns the plan of the query at a moment.
    func plan(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> QueryPlan {
        var order: [(field: Int, isDescending: Bool)] = []
        for criterion in self.order {
            let field = try CollectionLayout.position(
                of: criterion.path, in: core.layout.fields, "a criterion of an order")
            if !order.contains(where: { $0.field == field }) { order.append((field, criterion.isDescending)) }
        }
        return try core.base.plan(
            filter, order, hasLimit: limit < Int.max, cursor, try core.base.schema(at: moment)?.indexes ?? [])
    }

    private func cursor(behind match: QueryMatch, _ run: QueryRun) -> QueryCursor {
        let plan = run.plan
        return QueryCursor(
            order: core.base.orderHash(plan.order),
            path: plan.stream == nil ? QueryCursor.noPath : plan.path.number,
            hint: plan.stream == nil ? [] : plan.scope.hint(match.hint), place: run.place(of: match.record, match.key))
    }
}

extension CollectionBase {
    func plan(
        _ filter: Filter, _ order: [(field: Int, isDescending: Bool)], hasLimit: Bool, _ cursor: QueryCursor?,
        _ indexes: [OpenIndex]
    ) throws(StorageError) -> QueryPlan {
        let path = Planner(layout: layout, indexes: indexes).path(for: filter, order: order, hasLimit: hasLimit)
        let fixed = filter.fixedValues
        let stream = StreamOrder(path, order, fixed: Set(fixed.keys), layout)
        let place = try cursor.map { (cursor) throws(StorageError) in try cursor.content }
        if let place, place.order != orderHash(order) {
            throw .invalid("the cursor belongs to a query of another order")
        }
        let isSamePath = stream != nil && place?.path == path.number
        let hint = isSamePath ? place.flatMap { HintScope(fixed).place(in: $0.hint) } : nil
        return QueryPlan(
            filter: filter, order: order, after: place?.place, path: path, hint: hint, stream: stream)
    }

    func orderHash(_ order: [(field: Int, isDescending: Bool)]) -> UInt64 {
        let text = order.map { "\(layout.fields[$0.field].name)\($0.isDescending ? ">" : "<")" }
        return Array((name + "\n" + text.joined(separator: "\n")).utf8).withBytes { XXH3.hash($0) }
    }
}

extension AccessPath {
    /// The number of the namespace that is read in one direction.
    var number: UInt32 {
        switch self {
        case .all, .primary: 0
        case .index(let index, _, _): UInt32(clamping: index.stored.id)
        case .nothing, .union: QueryCursor.noPath
        }
    }
}
