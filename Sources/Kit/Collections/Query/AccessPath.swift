import Shale

/// The place in which a query looks for records. Each record found is checked against the whole condition.
indirect enum AccessPath: Sendable {
    /// No place: no record can satisfy the condition.
    case nothing
    /// All records, in the order of their keys.
    case all
    /// The records whose keys lie in ranges. The ranges ascend and don't overlap.
    case primary([ByteRange])
    /// The records that entries of an index name. The ranges ascend and don't overlap.
    case index(OpenIndex, [ByteRange], equalColumns: Int)
    /// The records of several paths, each record once.
    case union([AccessPath])

    /// The ranges of one index or of the records that a path consists of.
    var rangeCount: Int {
        switch self {
        case .nothing: 0
        case .all: 1
        case .primary(let ranges), .index(_, let ranges, _): ranges.count
        case .union(let paths): paths.reduce(0) { $0 + $1.rangeCount }
        }
    }

    var usesIndexes: Bool { !indexNames.isEmpty }

    var indexNames: [String] {
        switch self {
        case .nothing, .all, .primary: []
        case .index(let index, _, _): [index.name]
        case .union(let paths): paths.flatMap(\.indexNames)
        }
    }
}

/// Selects the access path of a query.
///
/// For each index, equal columns are taken from its front, and then a range of the next column. The index with the most
/// equal columns wins, then one with a range, then one that delivers the wanted order. A disjunction is served if each
/// of its parts is. No figures on the distribution of values are kept: the number of records that a path will read is
/// unknown, so conditions are ranked by their kind alone.
struct Planner {
    /// More ranges than this are one larger range.
    static let rangesMax = 128

    let layout: CollectionLayout
    let indexes: [OpenIndex]

    private struct Candidate {
        let path: AccessPath
        let equalColumns: Int
        let hasRange: Bool
    }

    /// Returns the path for a condition. `order` are the fields of the wanted order, to decide between equal paths.
    func path(
        for filter: Filter, order: [(field: Int, isDescending: Bool)], hasLimit: Bool
    ) -> AccessPath {
        let conjuncts = filter.conjuncts
        let fixed = Set(filter.fixedValues.keys)
        if conjuncts.contains(where: { if case .constant(false) = $0 { true } else { false } }) { return .nothing }
        var best: Candidate?
        func consider(_ candidate: Candidate?) {
            guard let candidate else { return }
            guard let current = best else {
                best = candidate
                return
            }
            if rank(candidate, order, fixed) > rank(current, order, fixed) { best = candidate }
        }
        if let key = layout.key {
            consider(primary(conjuncts, key))
        }
        for index in indexes where index.isReady { consider(candidate(index, conjuncts)) }
        if let best { return best.path }
        for case .or(let parts) in conjuncts {
            if let union = union(parts) { return union }
        }
        guard hasLimit, !order.isEmpty else { return .all }
        for index in indexes where index.isReady {
            let path = AccessPath.index(index, [.prefix([])], equalColumns: 0)
            if StreamOrder(path, order, fixed: fixed, layout) != nil { return path }
        }
        return .all
    }

    private func rank(
        _ candidate: Candidate, _ order: [(field: Int, isDescending: Bool)], _ fixed: Set<Int>
    ) -> Int {
        var rank = candidate.equalColumns * 8 + (candidate.hasRange ? 4 : 0)
        if case .primary = candidate.path { rank += 2 }
        if case .index(let index, _, _) = candidate.path, index.layout.isUnique { rank += 1 }
        if !order.isEmpty, StreamOrder(candidate.path, order, fixed: fixed, layout) != nil { rank += 3 }
        return rank
    }

    private func union(_ parts: [Filter]) -> AccessPath? {
        var paths: [AccessPath] = []
        for part in parts.flatMap(disjuncts) {
            switch path(for: part, order: [], hasLimit: false) {
            case .all: return nil
            case .nothing: continue
            // A run keeps one set of the records that a union has delivered, so unions are never nested.
            case .union(let inner): paths += inner
            case let path: paths.append(path)
            }
        }
        return paths.reduce(0, { $0 + $1.rangeCount }) <= Planner.rangesMax ? .union(paths) : nil
    }

    private func disjuncts(_ filter: Filter) -> [Filter] {
        if case .or(let parts) = filter { return parts.flatMap(disjuncts) }
        return [filter]
    }

    private func primary(_ conjuncts: [Filter], _ key: Int) -> Candidate? {
        let (bases, equal, range) = ranges([(key, false)], nil, conjuncts)
        guard equal == 1 || range != nil else { return nil }
        let ranges = range ?? bases.map { ByteRange.key($0) }
        return Candidate(path: .primary(ordered(ranges)), equalColumns: equal, hasRange: range != nil)
    }

    private func candidate(_ index: OpenIndex, _ conjuncts: [Filter]) -> Candidate? {
        let (bases, equal, range) = ranges(index.layout.columns, index.layout, conjuncts)
        guard equal > 0 || range != nil else { return nil }
        let ranges = range ?? bases.map { ByteRange.prefix($0) }
        return Candidate(
            path: .index(index, ordered(ranges), equalColumns: equal), equalColumns: equal, hasRange: range != nil)
    }

    private func ordered(_ ranges: [ByteRange]) -> [ByteRange] {
        let ranges = ranges.filter { !$0.isEmpty }
        guard ranges.count > 1 else { return ranges }
        return Set(ranges).sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
    }

    /// Returns the beginnings that equal columns make, the number of equal columns, and the ranges with the column
    /// behind them, if a condition bounds that column.
    private func ranges(
        _ columns: [(field: Int, isDescending: Bool)], _ index: IndexLayout?, _ conjuncts: [Filter]
    ) -> (bases: [[UInt8]], equal: Int, ranges: [ByteRange]?) {
        var bases: [[UInt8]] = [[]]
        for (position, column) in columns.enumerated() {
            if let values = equalValues(column.field, conjuncts), bases.count * values.count <= Planner.rangesMax {
                bases = bases.flatMap { base in
                    values.map {
                        index?.equalKey(base, $0, column: position)
                            ?? ColumnRange.equal(base, $0, isDescending: column.isDescending)
                    }
                }
                continue
            }
            let bounds = conjuncts.compactMap { bound($0, column.field) }
            guard !bounds.isEmpty, index?.isKeyed != true else { return (bases, position, nil) }
            let ranges = bases.map { base in
                bounds.reduce(ByteRange.prefix(base)) { $0.intersection($1(base, column.isDescending)) }
            }
            return (bases, position, ranges)
        }
        return (bases, columns.count, nil)
    }

    /// Returns the values that a field must be one of; `nil` if no condition says so. NaN equals nothing, so it is left
    /// to the condition.
    private func equalValues(_ field: Int, _ conjuncts: [Filter]) -> [CompositeKey.Element]? {
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(field, .equal, let value) where !isNaN(value): return [value]
            case .oneOf(field, let values): return values.filter { !isNaN($0) }
            default: continue
            }
        }
        return nil
    }

    private func isNaN(_ value: CompositeKey.Element) -> Bool {
        if case .double(let value) = value { value.isNaN } else { false }
    }

    private func bound(
        _ filter: Filter, _ field: Int
    ) -> (([UInt8], _ isDescending: Bool) -> ByteRange)? {
        switch filter {
        case .prefix(field, let prefix): { ColumnRange.prefix($0, prefix, isDescending: $1) }
        case .compare(field, let comparison, let value) where comparison != .equal && value != .null && !isNaN(value):
            { ColumnRange.compare($0, comparison, value, isDescending: $1) }
        case .not(.compare(field, .equal, .null)): { ColumnRange.notNil($0, isDescending: $1) }
        default: nil
        }
    }
}
