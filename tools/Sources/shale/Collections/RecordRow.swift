import Shale
import ShaleCollections

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record for output.
struct RecordRow: ListedRow {
    static let command = "query"
    static let columns: [String] = []

    /// The members that precede the records.
    struct Head: Encodable {
        let namespace: String
        let user: String?
    }

    let key: ShownTree
    let record: ShownTree
    /// Not encoded.
    private let columns: RecordColumns

    enum CodingKeys: String, CodingKey { case key, record }

    init(_ key: RecordKey, _ record: StoredRecord, _ columns: RecordColumns) throws {
        self.key = ShownTree(try Self.tree(of: key))
        self.record = ShownTree(.dictionary(record.properties))
        self.columns = columns
    }

    /// Returns the value of a key. Something other than the collection may have stored a key that is none; it is shown
    /// as bytes, as its record is shown.
    private static func tree(of key: RecordKey) throws -> StructuredValue {
        do throws(StorageError) {
            return try key.element.tree
        } catch {
            return .data(Data(key.bytes))
        }
    }

    var cells: any Encodable {
        var cells: [String: ShownTree] = [:]
        if case .dictionary(let members) = record.tree { cells = members.mapValues { ShownTree($0) } }
        if let name = columns.key { cells[name] = key }
        return cells
    }

    /// Returns, for people, the key and after a tab the record, in one line.
    func line() throws -> Shown {
        let name: Shown = if case .string(let text) = key.tree { Shown(text) } else { try jsonText(key) }
        return "\(name)\t\(try jsonText(record))"
    }
}

/// The columns of a collection's records in CSV: a generated key, then the fields.
struct RecordColumns {
    let names: [String]
    /// The column of a generated key; `nil` if the key is a field.
    let key: String?

    init(_ collection: StoredCollection) {
        let fields = collection.fields.map(\.name)
        guard collection.key == nil else {
            key = nil
            names = fields
            return
        }
        let name = fields.contains("key") ? "recordKey" : "key"
        key = name
        names = [name] + fields
    }
}

/// The number of records that satisfy a condition.
struct RecordCountReport: Report {
    static let command = "query"

    let namespace: String
    let user: String?
    let count: Int

    func text() -> Shown { Shown(count) }

    var table: RowTable { RowTable(columns: ["namespace", "user", "count"], [self]) }
}

/// The way in which a query was answered.
struct ExplanationReport: Report {
    static let command = "query"

    let namespace: String
    let user: String?
    /// nothing, allRecords, primaryKey, index or union.
    let source: String
    let indexes: [String]
    let entriesRead: Int
    let recordsRead: Int
    let staleEntries: Int
    let matches: Int
    let sorted: Bool

    init(_ path: NamespacePath, _ explanation: QueryExplanation) {
        namespace = path.text
        user = path.user
        source = explanation.source.rawValue
        indexes = explanation.indexes
        entriesRead = explanation.entriesRead
        recordsRead = explanation.recordsRead
        staleEntries = explanation.staleEntries
        matches = explanation.matches
        sorted = explanation.isSorted
    }

    var table: RowTable {
        RowTable(
            columns: [
                "namespace", "user", "source", "indexes", "entriesRead", "recordsRead", "staleEntries", "matches",
                "sorted",
            ], [self])
    }

    func text() -> Shown {
        let names: Shown = indexes.isEmpty ? "" : " \(indexes.map { Shown($0) }.joined(separator: ", "))"
        var lines: [Shown] = [
            "source: \(source)\(names)",
            "read: \(Figures.count(recordsRead, "record")), "
                + "\(Figures.count(entriesRead, "index entry", "index entries"))",
            "found: \(Figures.count(matches, "record"))",
        ]
        if staleEntries > 0 {
            lines.append("skipped: \(Figures.count(staleEntries, "stale entry", "stale entries"))")
        }
        if sorted { lines.append("sorted in memory: no index delivers the order") }
        return lines.joined(separator: "\n")
    }
}
