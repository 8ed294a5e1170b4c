public import Shale
import ShaleBase

/// The way in which a query is answered, and its cost. The figures are those of one run.
public struct QueryExplanation: Sendable, Hashable {
    /// The place in which a query looks for records.
    public enum Source: String, Sendable, Hashable {
        /// No record can satisfy the condition.
        case nothing
        /// Every record is read.
        case allRecords
        /// The records with certain keys are read.
        case primaryKey
        /// The records that an index names are read.
        case index
        /// The records that several indexes, or several parts of one, name are read.
        case union
    }

    public let source: Source
    /// The names of the indexes that are used.
    public let indexes: [String]
    /// The number of index entries read.
    public let entriesRead: Int
    /// The number of records read.
    public let recordsRead: Int
    /// The number of entries whose record is missing or has other values by now.
    public let staleEntries: Int
    /// The number of records found.
    public let matches: Int
    /// True if the records are sorted in memory, because the source does not deliver their order.
    public let isSorted: Bool
}

extension QueryExplanation: CustomStringConvertible {
    public var description: String {
        let names = indexes.isEmpty ? "" : "(\(indexes.joined(separator: ", ")))"
        let sorted = isSorted ? ", sorted" : ""
        let read = "\(recordsRead) records and \(entriesRead) entries read"
        return "\(source.rawValue)\(names): \(matches) matches, \(read)\(sorted)"
    }
}

extension RecordQuery {
    /// Runs the query and returns what it has read.
    public func explain() throws(StorageError) -> QueryExplanation {
        try core.base.reading { (moment) throws(StorageError) in try explain(at: moment) }
    }

    private func explain(at moment: Store.Snapshot) throws(StorageError) -> QueryExplanation {
        let plan = try plan(at: moment)
        let run = QueryRun(core.base, plan)
        var matches = 0
        try run.forEach(Record.self, at: moment, limit: limit) { (_) in
            matches += 1
            return matches < limit
        }
        let source: QueryExplanation.Source =
            switch plan.path {
            case .nothing: .nothing
            case .all: .allRecords
            case .primary: .primaryKey
            case .index: .index
            case .union: .union
            }
        return QueryExplanation(
            source: source, indexes: plan.path.indexNames, entriesRead: run.counts.entries,
            recordsRead: run.counts.records, staleEntries: run.counts.stale, matches: matches,
            isSorted: plan.stream == nil)
    }
}
