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
    public func records() throws(StorageError) -> [Record] { try page().records }

    /// Returns the keys of the records.
    public func keys() throws(StorageError) -> [RecordKey] { try page().keys }

    /// Returns the first record; `nil` if there is none.
    public func first() throws(StorageError) -> Record? { try limit(min(limit, 1)).page().records.first }

    /// Returns the records with their keys, the records that can't be read, and the place to continue at.
    public func page() throws(StorageError) -> RecordPage<Record> {
        try core.reading { (moment) throws(StorageError) in try page(at: moment) }
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
        return try page(at: moment).records.map { $0[keyPath: field] }
    }

    /// Calls `body` with each record and its key. One record is in memory at a time if an index delivers the order.
    /// Returns the place behind the last record.
    @discardableResult
    public func forEach(
        _ body: (RecordKey, Record) throws(StorageError) -> Void
    ) throws(StorageError) -> RecordQueryEnd {
        let moment = try core.records.snapshot()
        return try forEach(at: moment, body)
    }

    /// Returns the number of records, at most the limit. A record that can't be decoded counts if no record is read.
    ///
    /// - Complexity: O(blocks) without reading records if the condition is exactly a range of an index, or none, and if
    ///   no record was removed without its index entries: see the article "How collections work". Otherwise O(records
    ///   read). The first count with an index after an opening, and after a purge, a truncation or a policy removed
    ///   something, also counts the records and the index, which is O(blocks) again.
    public func count() throws(StorageError) -> Int {
        try core.reading { (moment) throws(StorageError) in
            if cursor == nil, let covered = try coveredCount(moment) { return min(covered, limit) }
            return try matchCount(at: moment)
        }
    }

    /// Returns true if there is a record. Reads no more than one that satisfies the condition.
    public func exists() throws(StorageError) -> Bool {
        try core.reading { (moment) throws(StorageError) in try exists(at: moment) }
    }

    private func exists(at moment: Store.Snapshot) throws(StorageError) -> Bool {
        var query = self
        // Any record will do, so the order of the path is right. A cursor is a place in its own order.
        if cursor == nil { query.order = [] }
        query.limit = 1
        let planned = try query.plan(at: moment)
        let plan = QueryPlan(
            filter: planned.filter, order: planned.order, after: planned.after, path: planned.path, hint: planned.hint,
            stream: planned.stream ?? StreamOrder(isReversed: false), scope: planned.scope)
        var found = false
        try QueryRun(core, plan).forEach(at: moment, limit: 1) { (_) in
            found = true
            return false
        }
        return found
    }

    func matchCount(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> Int {
        let planned = try plan(at: moment)
        let plan = QueryPlan(
            filter: planned.filter, order: planned.order, after: planned.after, path: planned.path,
            hint: planned.stream == nil ? nil : planned.hint, stream: planned.stream ?? StreamOrder(isReversed: false),
            scope: planned.scope)
        var count = 0
        try QueryRun(core, plan).forEach(at: moment, limit: limit) { (_) in
            count += 1
            return count < limit
        }
        return count
    }
}

extension RecordQuery {
    func page(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> RecordPage<Record> {
        var (records, keys): ([Record], [RecordKey]) = ([], [])
        let end = try forEach(at: moment) { (key, record) in
            records.append(record)
            keys.append(key)
        }
        return RecordPage(records: records, keys: keys, next: end.next, failures: end.failures)
    }

    private func forEach(
        at moment: borrowing some ReadMoment & ~Copyable, _ body: (RecordKey, Record) throws(StorageError) -> Void
    ) throws(StorageError) -> RecordQueryEnd {
        var plan = try plan(at: moment)
        var count = 0
        var (next, last): (QueryCursor?, SortKey?) = (nil, nil)
        var isOfCaller = false
        while true {
            let (run, present) = (QueryRun(core, plan), plan)
            do throws(StorageError) {
                try run.forEach(at: moment, limit: limit - count) { (match) throws(StorageError) in
                    last = match.place
                    count += 1
                    isOfCaller = true
                    try body(match.key, match.record)
                    isOfCaller = false
                    if count == limit { next = cursor(behind: match, present) }
                    return count < limit
                }
                return RecordQueryEnd(next: next, failures: run.failures)
            } catch {
                // A change of the schema drops indexes at once. The records are still those of the moment.
                guard error.code == .namespaceDropped, !isOfCaller, plan.path.usesIndexes else { throw error }
                plan = plan.withoutIndexes(after: last, core.layout)
            }
        }
    }

    /// Returns the plan of the query at a moment.
    func plan(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> QueryPlan<Record> {
        let layout = core.layout
        var order: [(field: Int, isDescending: Bool)] = []
        for criterion in self.order {
            let field = try CollectionLayout.position(of: criterion.path, in: layout.fields, "a criterion of an order")
            if !order.contains(where: { $0.field == field }) { order.append((field, criterion.isDescending)) }
        }
        let indexes = try core.schema(at: moment)?.indexes ?? []
        let path = Planner(layout: layout, indexes: indexes)
            .path(for: filter, order: order, hasLimit: limit < Int.max)
        let fixed = filter.fixedValues
        let stream = StreamOrder(path, order, fixed: Set(fixed.keys), layout)
        let place = try cursor.map { (cursor) throws(StorageError) in try cursor.content }
        if let place, place.order != orderHash(order) {
            throw .invalid("the cursor belongs to a query of another order")
        }
        let scope = HintScope(fixed)
        let hint = stream != nil && place?.path == path.number ? place.flatMap { scope.place(in: $0.hint) } : nil
        return QueryPlan(
            filter: filter, order: order, after: place?.place, path: path, hint: hint, stream: stream, scope: scope)
    }

    private func cursor(behind match: QueryMatch<Record>, _ plan: QueryPlan<Record>) -> QueryCursor {
        QueryCursor(
            order: orderHash(plan.order), path: plan.stream == nil ? QueryCursor.noPath : plan.path.number,
            hint: plan.stream == nil ? [] : plan.scope.hint(match.hint), place: match.place)
    }

    private func orderHash(_ order: [(field: Int, isDescending: Bool)]) -> UInt64 {
        let text = order.map { "\(core.layout.fields[$0.field].name)\($0.isDescending ? ">" : "<")" }
        return Array((core.name + "\n" + text.joined(separator: "\n")).utf8).withBytes { XXH3.hash($0) }
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
