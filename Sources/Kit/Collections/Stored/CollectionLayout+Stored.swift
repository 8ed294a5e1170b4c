import Shale
import ShaleBase

/// The layout that a stored schema describes. Records have no Swift type, so fields are positions in a document.
extension CollectionLayout {
    /// Makes the layout of a stored schema, which may be damaged or hostile.
    ///
    /// - Throws: `.newerFormat` for the schema of a newer version of Shale; `.corruption` for one that contradicts
    ///   itself.
    init(_ stored: StoredSchema) throws(StorageError) {
        guard stored.format <= StoredSchema.format else {
            throw StorageError(.newerFormat, "a newer version wrote the schema of a collection")
        }
        let fields = stored.fields.enumerated().map { RecordField($1, at: $0).layout }
        var key: Int?
        var indexes: [IndexLayout] = []
        do throws(StorageError) {
            guard !stored.name.isEmpty, !fields.isEmpty else { throw .invalid("it has no name or no fields") }
            guard 1...Int(UInt32.max) ~= stored.version else { throw .invalid("its version is out of bounds") }
            try CollectionLayout.requireUnique(fields.map(\.name), "field")
            try CollectionLayout.requireUnique(stored.indexes.map(\.name), "index")
            key = try stored.key.map { (name) throws(StorageError) in try CollectionLayout.position(of: name, fields) }
            if let key, fields[key].isNullable { throw .invalid("the field of the primary key may be nil") }
            guard Set(stored.indexes.map(\.id)).count == stored.indexes.count else {
                throw .invalid("two indexes have one number")
            }
            for index in stored.indexes { indexes.append(try IndexLayout(index, fields)) }
        } catch {
            throw .corruption("the schema of a collection is not valid: \(error.message)")
        }
        self.init(stored.name, version: stored.version, fields: fields, key: key, indexes: indexes)
    }

    static func position(of name: String, _ fields: [FieldLayout]) throws(StorageError) -> Int {
        guard let position = fields.firstIndex(where: { FieldOrder.isEqual($0.name, name) }) else {
            throw .invalid("there is no field of this name field=\(name)")
        }
        return position
    }
}

extension IndexLayout {
    fileprivate init(_ stored: StoredSchema.Index, _ fields: [FieldLayout]) throws(StorageError) {
        guard 1...IndexKey.columnsMax ~= stored.columns.count else {
            throw .invalid("an index has 1 to \(IndexKey.columnsMax) columns index=\(stored.name)")
        }
        var columns: [(field: Int, isDescending: Bool)] = []
        for column in stored.columns {
            let field = try CollectionLayout.position(of: column.field, fields)
            guard !columns.contains(where: { $0.field == field }) else {
                throw .invalid("an index has a field twice index=\(stored.name)")
            }
            columns.append((field, column.isDescending))
        }
        self.init(name: stored.name, columns: columns, isUnique: stored.isUnique, fields: fields)
    }
}

extension RecordField where Record == StoredRecord {
    fileprivate init(_ stored: StoredSchema.Field, at position: Int) {
        self.init(
            stored.name, stored.kind, stored.constraint, isNullable: stored.isNullable,
            path: StoredRecord.path(to: position), element: { $0[element: position] })
    }
}

extension RecordSchema where Record == StoredRecord {
    /// Makes the schema of records without a Swift type. `layout` is that of the stored schema.
    init(_ stored: StoredSchema, _ layout: CollectionLayout) {
        let content = StoredFields(stored.fields)
        name = stored.name
        codec = VersionedCodec(StoredRecord.self, version: stored.version)
            .checked { (record) throws(StorageError) in try StoredRecord(record.document, content) }
        key = layout.key.map { layout.fields[$0].path }
        fields = stored.fields.enumerated().map { RecordField($1, at: $0) }
        indexes = []
    }
}

extension StoredRecord {
    /// Returns the key path that stands for the field at a position. Paths to one position are equal.
    static func path(to position: Int) -> any KeyPath<StoredRecord, CompositeKey.Element> & Sendable {
        \StoredRecord.[element: position]
    }
}
