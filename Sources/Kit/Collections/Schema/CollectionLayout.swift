import Shale
import ShaleBase

/// A schema that was checked, with columns as positions of fields.
struct CollectionLayout<Record: Codable & Sendable>: Sendable {
    static var nameBytesMax: Int { 255 }

    let schema: RecordSchema<Record>
    let fields: [RecordField<Record>]
    /// The fields whose values a write has to check: dates, and those that must not be nil.
    let checkedFields: [RecordField<Record>]
    /// The position of the primary key; `nil` if keys are generated.
    let key: Int?
    /// Explicit indexes, and behind them those of unique fields, in the order of the fields.
    let indexes: [IndexLayout<Record>]

    /// Checks a schema against itself and against the record type.
    ///
    /// - Throws: `.invalidArgument`, naming what is wrong.
    init(_ schema: RecordSchema<Record>) throws(StorageError) {
        self.schema = schema
        fields = schema.fields
        checkedFields = schema.fields.filter { $0.constraint.isRequired || $0.kind == .date }
        guard !schema.name.isEmpty, !fields.isEmpty else {
            throw .invalid("a collection needs a name and at least one field")
        }
        try CollectionLayout.requireUnique(fields.map(\.name), "field")
        key = try schema.key.map { (path) throws(StorageError) in
            try CollectionLayout.position(of: path, in: schema.fields, "the primary key")
        }
        if let key, fields[key].isNullable { throw .invalid("the field of the primary key may be nil") }
        var indexes: [IndexLayout<Record>] = []
        for index in schema.indexes { indexes.append(try CollectionLayout.layout(index, schema.fields)) }
        for (position, field) in fields.enumerated() where field.constraint.isUnique && position != key {
            indexes.append(
                IndexLayout(name: field.name, columns: [(position, false)], isUnique: true, fields: schema.fields))
        }
        try CollectionLayout.requireUnique(indexes.map(\.name), "index")
        self.indexes = indexes
        try RecordProbe.check(schema.fields, of: Record.self)
    }

    /// Makes the layout of a schema that was checked for another type of records.
    init(_ schema: RecordSchema<Record>, key: Int?, indexes: [IndexLayout<Record>]) {
        self.schema = schema
        fields = schema.fields
        checkedFields = []
        self.key = key
        self.indexes = indexes
    }

    private static func layout(
        _ index: RecordIndex<Record>, _ fields: [RecordField<Record>]
    ) throws(StorageError) -> IndexLayout<Record> {
        guard 1...IndexKey.columnsMax ~= index.columns.count else {
            throw .invalid("an index has 1 to \(IndexKey.columnsMax) columns index=\(index.name)")
        }
        var columns: [(field: Int, isDescending: Bool)] = []
        for column in index.columns {
            let field = try position(of: column.path, in: fields, "a column of the index \(index.name)")
            guard !columns.contains(where: { $0.field == field }) else {
                throw .invalid("an index has a field twice index=\(index.name) field=\(fields[field].name)")
            }
            columns.append((field, column.isDescending))
        }
        return IndexLayout(name: index.name, columns: columns, isUnique: index.isUnique, fields: fields)
    }

    static func requireUnique(_ names: [String], _ what: String) throws(StorageError) {
        var seen: Set<[UInt8]> = []
        for name in names {
            let bytes = Array(name.utf8)
            guard 1...nameBytesMax ~= bytes.count else {
                throw .invalid("the name of a field or an index has 1 to \(nameBytesMax) bytes")
            }
            guard seen.insert(bytes).inserted else { throw .invalid("a \(what) is there twice name=\(name)") }
        }
    }

    /// Returns the position of the field with a key path.
    static func position(
        of path: any AnyKeyPath & Sendable, in fields: [RecordField<Record>], _ what: String
    ) throws(StorageError) -> Int {
        let path: AnyKeyPath = path
        guard let found = fields.firstIndex(where: { ($0.path as AnyKeyPath) == path }) else {
            throw .invalid("\(what) is no field of the schema")
        }
        return found
    }

    /// Returns the description to store, with new indexes.
    func stored(firstIndex: Int, isReady: Bool, containsHashes: Bool = false) -> StoredSchema {
        let indexes = self.indexes.enumerated().map { (number, index) in
            StoredSchema.Index(
                id: firstIndex + number, name: index.name,
                columns: index.columns.map {
                    StoredSchema.Column(field: fields[$0.field].name, isDescending: $0.isDescending)
                }, isUnique: index.isUnique, isReady: isReady, isKeyed: containsHashes ? true : nil)
        }
        return StoredSchema(
            name: schema.name, version: schema.version, key: key.map { fields[$0].name },
            fields: fields.map {
                StoredSchema.Field(
                    name: $0.name, kind: $0.kind, constraint: $0.constraint, isNullable: $0.isNullable)
            }, indexes: indexes, nextIndex: firstIndex + indexes.count, isMigrating: false)
    }
}

/// An index of a checked schema.
struct IndexLayout<Record: Codable & Sendable>: Sendable {
    let name: String
    let columns: [(field: Int, isDescending: Bool)]
    let isUnique: Bool
    private let elements: [@Sendable (Record) -> CompositeKey.Element]
    /// Appends the columns of a record. One function that calls another one for each column: a loop over functions of
    /// a generic type requests types from the runtime in each round.
    private let appendColumns: @Sendable (Record, inout IndexKey) -> Void
    /// `nil` if the index contains values.
    private var hasher: ColumnHasher?

    init(name: String, columns: [(field: Int, isDescending: Bool)], isUnique: Bool, fields: [RecordField<Record>]) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        elements = columns.map { fields[$0.field].element }
        var append: @Sendable (Record, inout IndexKey) -> Void = { (_, _) in }
        for (field, isDescending) in columns {
            let (before, element) = (append, fields[field].element)
            append = { (record, key) in
                before(record, &key)
                key.append(element(record), isDescending: isDescending)
            }
        }
        appendColumns = append
    }

    /// True if the index contains keyed hashes. It then serves equality, and no ranges and no order.
    var isKeyed: Bool { hasher != nil }

    /// Returns the same index with keyed hashes in place of values.
    func hashing(with hasher: ColumnHasher) -> IndexLayout {
        var layout = self
        layout.hasher = hasher
        return layout
    }

    /// True if the primary keys behind the columns are inverted: if the last column is descending, so that reading the
    /// index in either direction orders records with equal columns as the last column does.
    var invertsPrimary: Bool { !isKeyed && columns[columns.count - 1].isDescending }

    /// Appends the value of a column to a key.
    func append(_ element: CompositeKey.Element, column: Int, to key: inout IndexKey) {
        if let hasher {
            key.append(hash: hasher.hash(element, column: column), isNull: element == .null)
        } else {
            key.append(element, isDescending: columns[column].isDescending)
        }
    }

    /// Returns the keys in which a column behind `base` equals a value.
    func equalKey(_ base: [UInt8], _ value: CompositeKey.Element, column: Int) -> [UInt8] {
        var key = IndexKey(base)
        append(value, column: column, to: &key)
        return key.bytes
    }

    /// True if two records agree in all columns, as a unique index understands it.
    func hasEqualColumns(_ a: Record, _ b: Record) -> Bool {
        elements.allSatisfy { FieldOrder.isSame($0(a), $0(b)) }
    }

    /// Returns the index entry of a record.
    func entry(of record: Record, _ primary: [UInt8]) -> IndexEntry {
        var key = IndexKey()
        if isKeyed {
            for (column, element) in elements.enumerated() { append(element(record), column: column, to: &key) }
        } else {
            appendColumns(record, &key)
        }
        let columnBytes = key.bytes.count
        // Nil is equal to nothing. Values that are cut may have equal hashes, so their entries name the record as well.
        guard isUnique, !key.hasNull, key.cutEnd == nil else {
            let isGuarded = isUnique && !key.hasNull
            let value = IndexEntryValue.inKey(columnBytes: columnBytes, cutEnd: key.cutEnd)
            key.append(primary: primary, isDescending: invertsPrimary)
            return IndexEntry(
                key: key.bytes, value: value, columnBytes: columnBytes, claim: isGuarded ? .range : .none)
        }
        return IndexEntry(
            key: key.bytes, value: IndexEntryValue.here(primary), columnBytes: columnBytes, claim: .key)
    }
}

/// The entry of a record in an index.
struct IndexEntry: Equatable {
    /// The way in which the entry excludes other records with the same columns.
    enum Claim {
        /// Not at all.
        case none
        /// There is one entry with this key.
        case key
        /// The entries that begin with the columns have to be compared.
        case range
    }

    let key: [UInt8]
    let value: [UInt8]
    let columnBytes: Int
    let claim: Claim

    var columns: [UInt8] { Array(key[..<columnBytes]) }
}
