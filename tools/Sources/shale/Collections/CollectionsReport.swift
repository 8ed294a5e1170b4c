import ArgumentParser
import Shale
import ShaleCollections

/// The collections of a store.
struct CollectionsReport: Report {
    static let command = "collections"

    var collections: [CollectionRow] = []
    var unreadable: [UnreadableSchema] = []
    let rows: CollectionsCommand.Rows

    init(rows: CollectionsCommand.Rows) { self.rows = rows }

    enum CodingKeys: String, CodingKey { case collections, unreadable }

    var table: RowTable {
        switch rows {
        case .collections: RowTable(columns: CollectionRow.columns, collections)
        case .fields: RowTable(columns: FieldRow.columns, collections.flatMap(\.fields))
        case .indexes: RowTable(columns: IndexRow.columns, collections.flatMap(\.indexes))
        }
    }

    func text() -> Shown {
        (collections.map { $0.text() } + unreadable.map(\.text)).joined(separator: "\n\n")
    }

    /// Ends the command with code 2 if something is damaged or was left out.
    func conclude() throws {
        if !unreadable.isEmpty || collections.contains(where: \.isDamaged) {
            throw ExitCode(ExitStatus.corruption.rawValue)
        }
    }
}

/// A schema that can't be read.
struct UnreadableSchema: Encodable {
    let namespace: String
    let user: String?
    let code: String
    let message: String

    init(_ path: NamespacePath, _ error: StorageError) {
        namespace = path.text
        user = path.user
        code = error.code.rawValue
        message = error.message
    }

    var text: Shown { "\(Shown(namespace: namespace, user: user)): \(code): \(message: message)" }
}

/// A collection for output.
struct CollectionRow: Encodable {
    static let columns = [
        "name", "namespace", "user", "version", "key", "records", "rawBytes", "storedBytes", "migrating", "sound",
    ]

    let name: String
    let namespace: String
    let user: String?
    let version: Int
    /// The field that is the primary key. Absent if keys are generated.
    let key: String?
    let records: Int
    let rawBytes: UInt64
    let storedBytes: UInt64
    let migrating: Bool
    let fields: [FieldRow]
    let indexes: [IndexRow]
    var verification: CollectionVerificationRow? {
        didSet { sound = verification?.sound }
    }
    /// Absent unless the collection was verified.
    private(set) var sound: Bool?
    var repair: CollectionRepairRow?

    init(_ named: NamedCollection) throws {
        let collection = named.collection
        let statistics = try collection.namespace.statistics
        name = collection.name
        namespace = named.path.text
        user = named.path.user
        version = collection.version
        key = collection.key
        records = try collection.count()
        rawBytes = statistics?.rawBytes ?? 0
        storedBytes = statistics?.storedBytes ?? 0
        migrating = collection.isMigrating
        fields = collection.fields.map { FieldRow(named, $0) }
        indexes = try collection.indexes.map { try IndexRow(named, $0) }
    }

    var isDamaged: Bool {
        if let repair { return repair.recordsLeftOut > 0 }
        return verification.map { !$0.sound || ($0.unreadableRecords > 0 && !migrating) } ?? false
    }

    func text() -> Shown {
        let keys: Shown = key.map { "key \($0)" } ?? "generated keys"
        let state: Shown = migrating ? ", with records of earlier versions" : ""
        var lines: [Shown] = [
            "\(name) in \(Shown(namespace: namespace, user: user)): version \(version), \(keys), "
                + "\(Figures.count(records, "record")), \(Figures.bytes(rawBytes))\(state)"
        ]
        var fieldTable = Table(["  FIELD", "KIND", "CONSTRAINT"])
        for field in fields { fieldTable.add("  \(field.name)", Shown(field.kind), Shown(field.constraintText)) }
        lines.append(fieldTable.text)
        if !indexes.isEmpty {
            var indexTable = Table(["  INDEX", "COLUMNS", "UNIQUE", "STATE", "ENTRIES", "RAW"], rightAligned: [4, 5])
            for index in indexes {
                indexTable.add(
                    "  \(index.name)", Shown(index.columnText), index.unique ? "yes" : "no", Shown(index.state),
                    Figures.count(index.entries), Figures.bytes(index.rawBytes))
            }
            lines.append(indexTable.text)
        }
        lines += verification?.lines ?? []
        lines += repair?.lines ?? []
        return lines.joined(separator: "\n")
    }
}

/// A field for output.
struct FieldRow: Encodable {
    static let columns = ["namespace", "user", "name", "kind", "constraint", "nullable"]

    let namespace: String
    let user: String?
    let name: String
    let kind: String
    let constraint: String
    let nullable: Bool
    /// The constraint for people. Not encoded.
    let constraintText: String

    enum CodingKeys: String, CodingKey { case namespace, user, name, kind, constraint, nullable }

    init(_ named: NamedCollection, _ field: StoredField) {
        namespace = named.path.text
        user = named.path.user
        name = field.name
        kind = "\(field.kind)"
        constraint = "\(field.constraint)"
        nullable = field.isNullable
        if field.name == named.collection.key {
            constraintText = "key"
        } else {
            let words = [field.constraint.isUnique ? "unique" : nil, field.isNullable ? nil : "never null"]
            constraintText = words.compactMap(\.self).joined(separator: ", ")
        }
    }
}

/// An index for output.
struct IndexRow: Encodable {
    static let columns = [
        "namespace", "user", "name", "columns", "unique", "state", "entries", "rawBytes", "storedBytes",
    ]

    struct Column: Encodable {
        let field: String
        let descending: Bool
    }

    let namespace: String
    let user: String?
    let name: String
    let columns: [Column]
    let unique: Bool
    /// `ready`, or `building`: no query uses the index yet.
    let state: String
    let entries: Int
    let rawBytes: UInt64
    let storedBytes: UInt64

    init(_ named: NamedCollection, _ index: StoredIndex) throws {
        let statistics = try index.namespace.statistics
        namespace = named.path.text
        user = named.path.user
        name = index.name
        columns = index.columns.map { Column(field: $0.field, descending: $0.isDescending) }
        unique = index.isUnique
        state = index.isReady ? "ready" : "building"
        entries = try index.namespace.count()
        rawBytes = statistics?.rawBytes ?? 0
        storedBytes = statistics?.storedBytes ?? 0
    }

    /// The columns as an order of a query names them.
    var columnText: String { columns.map { $0.field + ($0.descending ? " desc" : "") }.joined(separator: ", ") }
}
