import Shale
import ShaleBase

/// A schema that was checked, with columns as positions of fields.
struct CollectionLayout: Sendable {
    static let nameBytesMax = 255

    let name: String
    /// The version of the records that are written.
    let version: Int
    let hidesIndexedValues: Bool
    let fields: [FieldLayout]
    /// The fields whose values a write has to check: dates, and those that must not be nil.
    let checkedFields: [FieldLayout]
    /// The position of the primary key; `nil` if keys are generated.
    let key: Int?
    /// Explicit indexes, and behind them those of unique fields, in the order of the fields.
    let indexes: [IndexLayout]

    /// Checks a schema against itself and against the record type.
    ///
    /// - Throws: `.invalidArgument`, naming what is wrong.
    init<Record>(_ schema: RecordSchema<Record>) throws(StorageError) {
        name = schema.name
        version = schema.version
        hidesIndexedValues = schema.hidesIndexedValues
        let fields = schema.fields.map(\.layout)
        self.fields = fields
        checkedFields = fields.filter { $0.constraint.isRequired || $0.kind == .date }
        guard !schema.name.isEmpty, !fields.isEmpty else {
            throw .invalid("a collection needs a name and at least one field")
        }
        try CollectionLayout.requireUnique(fields.map(\.name), "field")
        key = try schema.key.map { (path) throws(StorageError) in
            try CollectionLayout.position(of: path, in: fields, "the primary key")
        }
        if let key, fields[key].isNullable { throw .invalid("the field of the primary key may be nil") }
        var indexes: [IndexLayout] = []
        for index in schema.indexes { indexes.append(try CollectionLayout.layout(index, fields)) }
        for (position, field) in fields.enumerated() where field.constraint.isUnique && position != key {
            indexes.append(
                IndexLayout(name: field.name, columns: [(position, false)], isUnique: true, fields: fields))
        }
        try CollectionLayout.requireUnique(indexes.map(\.name), "index")
        self.indexes = indexes
        try RecordProbe.check(schema.fields, of: Record.self)
    }

    /// Makes the layout of a schema that was checked before.
    init(
        _ name: String, version: Int, hidesIndexedValues: Bool = false, fields: [FieldLayout], key: Int?,
        indexes: [IndexLayout]
    ) {
        self.name = name
        self.version = version
        self.hidesIndexedValues = hidesIndexedValues
        self.fields = fields
        checkedFields = []
        self.key = key
        self.indexes = indexes
    }

    private static func layout<Record>(
        _ index: RecordIndex<Record>, _ fields: [FieldLayout]
    ) throws(StorageError) -> IndexLayout {
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
        of path: any AnyKeyPath & Sendable, in fields: [FieldLayout], _ what: String
    ) throws(StorageError) -> Int {
        guard let found = position(of: path, in: fields) else { throw .invalid("\(what) is no field of the schema") }
        return found
    }

    /// Returns the position of the field with a key path; `nil` if there is none.
    static func position(of path: AnyKeyPath, in fields: [FieldLayout]) -> Int? {
        // By index, because the elements of a loop are copied with the functions that they hold.
        fields.indices.first { (fields[$0].path as AnyKeyPath) == path }
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
            name: name, version: version, key: key.map { fields[$0].name },
            fields: fields.map {
                StoredSchema.Field(
                    name: $0.name, kind: $0.kind, constraint: $0.constraint, isNullable: $0.isNullable)
            }, indexes: indexes, nextIndex: firstIndex + indexes.count, isMigrating: false)
    }
}
