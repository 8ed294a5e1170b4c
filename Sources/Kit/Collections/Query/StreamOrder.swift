import Shale

/// The order of an access path's entries in relation to a wanted order.
///
/// The wanted order is total: records that agree in its fields are ordered by their keys, in the direction of its last
/// field. So a page continues at the same place whichever path the next page takes.
struct StreamOrder {
    /// True if the path is read from its end.
    let isReversed: Bool

    /// Any order.
    init(isReversed: Bool) { self.isReversed = isReversed }

    /// Returns `nil` if the path does not deliver the order: its records then have to be sorted.
    ///
    /// `fixed` are the fields that have one value in all records of the condition. They decide nothing, neither in the
    /// order nor in an index, so both are compared without them. A path delivers an order if its ranges are one, and if
    /// its columns behind the equal ones are the order's fields in their directions, or in the opposite ones. The keys
    /// behind the columns have to follow the last criterion, fixed or not. An order by nothing is the order of the
    /// keys.
    init?(
        _ path: AccessPath, _ order: [(field: Int, isDescending: Bool)], fixed: Set<Int>,
        _ layout: CollectionLayout
    ) {
        let keysDescend = order.last?.isDescending ?? false
        let wanted = order.filter { !fixed.contains($0.field) }
        switch path {
        case .nothing: isReversed = false
        case .all, .primary:
            guard let first = wanted.first else {
                isReversed = keysDescend
                return
            }
            // No two records have the same key, so the criteria behind it decide nothing.
            guard first.field == layout.key else { return nil }
            isReversed = first.isDescending
        case .index(let index, let ranges, let equal):
            guard ranges.count <= 1, wanted.isEmpty || !index.layout.isKeyed else { return nil }
            let isReversed = index.layout.invertsPrimary != keysDescend
            let columns = index.layout.columns[equal...].filter { !fixed.contains($0.field) }
            guard columns.count == wanted.count else { return nil }
            for (column, criterion) in zip(columns, wanted) {
                guard column.field == criterion.field, (column.isDescending != criterion.isDescending) == isReversed
                else { return nil }
            }
            self.isReversed = isReversed
        case .union: return nil
        }
    }
}

extension Filter {
    /// The fields that have one value in all records which satisfy the condition, with that value.
    var fixedValues: [Int: CompositeKey.Element] {
        var fixed: [Int: CompositeKey.Element] = [:]
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(let field, .equal, let value): fixed[field] = value
            case .oneOf(let field, let values) where values.count == 1: fixed[field] = values[0]
            default: continue
            }
        }
        return fixed
    }
}

/// The place of a record in an order, as bytes that compare as the order does. Never cut.
struct SortKey: Sendable, Comparable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(
        of record: RecordAddress, _ primary: [UInt8], _ order: [(field: Int, isDescending: Bool)],
        _ layout: CollectionLayout
    ) {
        var bytes: [UInt8] = []
        for criterion in order {
            let start = bytes.count
            var encoder = CompositeKeyEncoder()
            swap(&encoder.bytes, &bytes)
            encoder.append(IndexKey.canonical(layout.fields[criterion.field].element(record)))
            swap(&encoder.bytes, &bytes)
            guard criterion.isDescending else { continue }
            for index in start..<bytes.count { bytes[index] = ~bytes[index] }
        }
        let isDescending = order.last?.isDescending ?? false
        bytes += isDescending ? primary.map { ~$0 } : primary
        self.bytes = bytes
    }

    static func < (a: SortKey, b: SortKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}
