import Shale
import ShaleBase

/// Counts without reading records.
extension RecordQuery {
    /// Returns the number of records from indexes alone; `nil` if records have to be read.
    func coveredCount(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> Int? {
        let conjuncts = filter.conjuncts
        if conjuncts.isEmpty { return try moment[core.records].count() }
        guard let schema = try core.schema(at: moment) else { return nil }
        for index in schema.indexes where index.isReady {
            guard let ranges = exactRanges(index.layout.columns, conjuncts) else { continue }
            guard try core.isClean(index, schema) else { return nil }
            var count = 0
            for range in ranges { count += try moment[index.namespace].keys(in: range.keyRange).count() }
            return count
        }
        return nil
    }

    /// Returns the ranges of an index that contain the entries of exactly the records that satisfy all conditions;
    /// `nil` if there are no such ranges.
    private func exactRanges(
        _ columns: [(field: Int, isDescending: Bool)], _ conjuncts: [Filter<Record>]
    ) -> [ByteRange]? {
        var rest = conjuncts
        var bases: [[UInt8]] = [[]]
        for column in columns {
            if rest.isEmpty { break }
            if let position = rest.firstIndex(where: { equalValues($0, column.field) != nil }),
                let values = equalValues(rest[position], column.field)
            {
                rest.remove(at: position)
                bases = bases.flatMap { base in
                    values.map { ColumnRange.equal(base, $0, isDescending: column.isDescending) }
                }
                guard bases.count <= Planner<Record>.rangesMax else { return nil }
                continue
            }
            guard rest.allSatisfy({ isExactBound($0, column.field) }) else { return nil }
            return bases.map { base in
                rest.reduce(ByteRange.prefix(base)) { $0.intersection(bound($1, base, column.isDescending)) }
            }
        }
        return rest.isEmpty ? Array(Set(bases.map { ByteRange.prefix($0) })) : nil
    }

    private func equalValues(_ filter: Filter<Record>, _ field: Int) -> [CompositeKey.Element]? {
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

    private func isExactBound(_ filter: Filter<Record>, _ field: Int) -> Bool {
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

    private func bound(_ filter: Filter<Record>, _ base: [UInt8], _ isDescending: Bool) -> ByteRange {
        switch filter {
        case .prefix(_, let prefix): ColumnRange.prefix(base, prefix, isDescending: isDescending)
        case .compare(_, let comparison, let value):
            ColumnRange.compare(base, comparison, value, isDescending: isDescending)
        default: ColumnRange.notNil(base, isDescending: isDescending)
        }
    }
}

extension CollectionCore {
    /// True if no record was removed without its entries in an index.
    ///
    /// Writers remove both. So does a purge or a truncation that covers both namespaces; one that covers the records
    /// alone leaves a later watermark there than at the index. Expiry is the same for both. A purge policy removes
    /// records one by one and leaves no trace, so a collection that has or had a policy is not clean.
    func isClean(_ index: OpenIndex<Record>, _ schema: OpenSchema<Record>) throws(StorageError) -> Bool {
        guard !schema.stored.hadPolicy, !(try records.options.purgePolicy.isAutomatic) else { return false }
        let own = try records.erasures
        let others = try index.namespace.erasures
        let truncated = max(others.truncatedThrough, index.stored.born)
        return own.truncatedThrough <= truncated && own.purgedThrough <= max(truncated, others.purgedThrough)
    }
}
