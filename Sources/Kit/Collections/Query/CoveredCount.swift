import Shale
import ShaleBase

/// Counts without reading records.
extension RecordQuery {
    /// Returns the number of records from indexes alone; `nil` if records have to be read.
    func coveredCount(_ moment: Store.Snapshot) throws(StorageError) -> Int? {
        let conjuncts = filter.conjuncts
        if conjuncts.isEmpty { return try moment[core.records].source.keyCount(in: .all) }
        guard let schema = try core.base.schema(at: moment) else { return nil }
        for index in schema.indexes where index.isReady {
            guard let ranges = exactRanges(index.layout, conjuncts) else { continue }
            guard let moment = try core.base.momentWithoutStaleEntries(of: index, schema, moment) else { return nil }
            var count = 0
            for range in ranges { count += try moment[index.namespace].source.keyCount(in: range.keyRange) }
            return count
        }
        return nil
    }

    /// Returns the ranges of an index that contain the entries of exactly the records that satisfy all conditions;
    /// `nil` if there are no such ranges.
    private func exactRanges(
        _ index: IndexLayout, _ conjuncts: [Filter]
    ) -> [ByteRange]? {
        var rest = conjuncts
        var bases: [[UInt8]] = [[]]
        for (position, column) in index.columns.enumerated() {
            if rest.isEmpty { break }
            if let values = takeEqualValues(column.field, from: &rest) {
                bases = bases.flatMap { base in values.map { index.equalKey(base, $0, column: position) } }
                guard bases.count <= Planner.rangesMax else { return nil }
                continue
            }
            guard !index.isKeyed, rest.allSatisfy({ isExactBound($0, column.field) }) else { return nil }
            return bases.map { base in
                rest.reduce(ByteRange.prefix(base)) { $0.intersection(bound($1, base, column.isDescending)) }
            }
        }
        guard rest.isEmpty else { return nil }
        // Values of a list may be equal.
        return bases.count == 1 ? [.prefix(bases[0])] : Array(Set(bases.map { ByteRange.prefix($0) }))
    }

    /// Removes the first condition that names all values of a field, and returns them; `nil` if there is none.
    private func takeEqualValues(_ field: Int, from conditions: inout [Filter]) -> [CompositeKey.Element]? {
        for position in conditions.indices {
            guard let values = equalValues(conditions[position], field) else { continue }
            conditions.remove(at: position)
            return values
        }
        return nil
    }

    private func equalValues(_ filter: Filter, _ field: Int) -> [CompositeKey.Element]? {
        let values: [CompositeKey.Element]
        switch filter {
        case .compare(field, .equal, let value): values = [value]
        case .oneOf(field, let list): values = list
        default: return nil
        }
        return values.allSatisfy(isExact) ? values : nil
    }

    /// False for NaN, which no condition finds, and for values of which an index has only the beginning.
    private func isExact(_ value: CompositeKey.Element) -> Bool {
        switch value {
        case .double(let value): !value.isNaN
        case .string(let text): text.utf8.count <= IndexKey.cutBytes
        case .bytes(let bytes): bytes.count <= IndexKey.cutBytes
        default: true
        }
    }

    private func isExactBound(_ filter: Filter, _ field: Int) -> Bool {
        switch filter {
        case .prefix(field, let prefix): prefix.count <= IndexKey.cutBytes
        case .not(.compare(field, .equal, .null)): true
        case .compare(field, let comparison, let value):
            switch value {
            case .null: false
            // NaN is above all numbers in an index, and above none in a condition.
            case .double: isExact(value) && (comparison == .less || comparison == .lessOrEqual)
            default: isExact(value)
            }
        default: false
        }
    }

    private func bound(_ filter: Filter, _ base: [UInt8], _ isDescending: Bool) -> ByteRange {
        switch filter {
        case .prefix(_, let prefix): ColumnRange.prefix(base, prefix, isDescending: isDescending)
        case .compare(_, let comparison, let value):
            ColumnRange.compare(base, comparison, value, isDescending: isDescending)
        default: ColumnRange.notNil(base, isDescending: isDescending)
        }
    }
}

/// The result of a search for stale entries in an index.
struct IndexCheck: Sendable {
    let records: NamespaceErasures
    let index: NamespaceErasures
    /// The sequence of the moment that was searched.
    let sequence: SequenceNumber
    let isClean: Bool
}

/// The proof that an index has no stale entries, without reading records.
///
/// 1. Every record that is present has one entry in each ready index, unless the index was built over records that
///    could not be read (``StoredSchema/Index/isPartial``). All other entries are stale. So an index has none exactly
///    if it has as many entries as there are records, whatever happened to either: a policy, a purge or a drop of the
///    records alone, in this process or before, a load, or a restored backup.
/// 2. Writers keep the numbers equal, because a record and its entries change in one step. Everything else that removes
///    a record in this process changes ``NamespaceErasures`` before it is visible. The erasures are read first and the
///    counted moment is taken after them. If they are still the same after a later moment was taken, nothing came
///    between both moments. So one comparison is valid until the next erasure.
/// 3. A moment before the counted one proves nothing: stale entries may have been removed in between.
extension CollectionBase {
    /// Returns a moment, `moment` or a later one, at which an index has no stale entries; `nil` if it may have some.
    func momentWithoutStaleEntries(
        of index: OpenIndex, _ schema: OpenSchema, _ moment: Store.Snapshot
    ) throws(StorageError) -> Store.Snapshot? {
        guard index.stored.isPartial != true else { return nil }
        let (ofRecords, ofIndex) = (try records.erasures, try index.namespace.erasures)
        if let known = checks.withLock({ $0[index.stored.id] }), known.records == ofRecords, known.index == ofIndex,
            known.sequence <= moment.sequence
        {
            return known.isClean ? moment : nil
        }
        let counted = try records.snapshot()
        guard try self.schema(at: counted)?.generation == schema.generation else { return nil }
        let isClean =
            try counted[records].source.keyCount(in: .all)
            == counted[index.namespace].source.keyCount(in: .all)
        let check = IndexCheck(records: ofRecords, index: ofIndex, sequence: counted.sequence, isClean: isClean)
        checks.withLock { $0[index.stored.id] = check }
        return isClean ? counted : nil
    }

    /// Notes that the indexes of a new collection have no stale entries, which reads nothing while there are no
    /// records. So no later count counts all records, unless something is erased.
    func checkEmptyIndexes() throws(StorageError) {
        let moment = try records.snapshot()
        guard try moment[records].keys.first() == nil, let schema = try schema(at: moment) else { return }
        for index in schema.indexes where index.isReady {
            // A namespace that is created later has another number, which would say that something was dropped.
            try index.namespace.create()
            _ = try momentWithoutStaleEntries(of: index, schema, moment)
        }
    }

    /// Forgets what is known of stale entries, after some have been removed.
    func forgetChecks() { checks.withLock { $0.removeAll() } }
}
