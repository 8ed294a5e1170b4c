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
    /// A path delivers an order if its ranges are one, and if its columns behind the equal ones are the order's fields
    /// in their directions, or in the opposite ones. An order by nothing is the order of the keys.
    init?<Record>(
        _ path: AccessPath<Record>, _ order: [(field: Int, isDescending: Bool)], _ layout: CollectionLayout<Record>
    ) {
        switch path {
        case .nothing: isReversed = false
        case .all, .primary:
            // Keys are compared by their bytes, and so are the records that agree in nothing.
            guard order.count <= 1 else { return nil }
            guard let first = order.first else {
                isReversed = false
                return
            }
            guard first.field == layout.key else { return nil }
            isReversed = first.isDescending
        case .index(let index, let ranges, let equal):
            guard ranges.count <= 1 else { return nil }
            if order.isEmpty, equal == index.layout.columns.count {
                isReversed = index.layout.invertsPrimary
                return
            }
            let columns = Array(index.layout.columns[equal...])
            let wanted = order
            guard !wanted.isEmpty, columns.count == wanted.count else { return nil }
            guard zip(columns, wanted).allSatisfy({ $0.field == $1.field }) else { return nil }
            let isOpposite = zip(columns, wanted).map { $0.isDescending != $1.isDescending }
            guard Set(isOpposite).count == 1 else { return nil }
            isReversed = isOpposite[0]
        case .union: return nil
        }
    }
}

/// The place of a record in an order, as bytes that compare as the order does. Never cut.
struct SortKey: Sendable, Comparable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init<Record>(
        of record: Record, _ primary: [UInt8], _ order: [(field: Int, isDescending: Bool)],
        _ layout: CollectionLayout<Record>
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
