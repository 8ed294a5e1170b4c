public import Shale
import ShaleBase
import ShalePlatform

/// A collection that is opened by its stored schema, without its Swift type. For tools, consoles and migrations.
///
/// ```swift
/// for namespace in store.collectionNamespaces {
///     guard let people = try StoredCollection(in: namespace) else { continue }
///     let query = try people.query(where: "age >= 18 and name starts with 'A'").ordered(by: "age desc, name")
///     for record in try query.limit(20).records() { print(record.properties) }
/// }
/// ```
/// Queries are those of ``RecordCollection``: the same planner, indexes, snapshots and cursors. A cursor of one
/// continues in the other. Nothing is created or changed by opening, so a store that is opened for reading is enough.
///
/// The values of fields come from the documents. A record is unreadable here, and reported by
/// ``RecordPage/failures``, if its document lacks a field's value or has one of another kind: a field can be a computed
/// property, and an older version of a record is another document until
/// ``RecordCollection/migrate(progress:)`` has passed it.
///
/// Everything may be called from any thread. After another opening has changed the schema, calls throw
/// `.schemaMismatch`: open the collection again.
public struct StoredCollection: Sendable {
    let base: RecordCollection<StoredRecord>
    let stored: StoredSchema

    /// Opens the collection whose records are in a namespace; `nil` if no collection is stored there.
    ///
    /// - Throws: `.newerFormat` if a newer version of Shale wrote the schema; `.corruption` or `.codecFailure` for a
    ///   schema that is not valid; the errors of a read.
    /// - Complexity: One read. No record is read.
    public init?(in namespace: Store.Namespace) throws(StorageError) {
        let schema = try namespace.child(SchemaKeys.namespace).value(forKey: SchemaKeys.schema, as: StoredSchema.self)
        guard let schema else { return nil }
        stored = schema
        let layout = try CollectionLayout(schema)
        base = RecordCollection(
            core: CollectionCore(layout, RecordSchema(schema, layout), namespace, random: SystemRandom()))
    }

    /// The name in the schema.
    public var name: String { stored.name }

    /// The namespace of the records.
    public var namespace: Store.Namespace { base.namespace }

    /// The version of the records that the application writes.
    public var version: Int { stored.version }

    /// The name of the field that is the primary key; `nil` if keys are generated.
    public var key: String? { stored.key }

    /// The fields, in the order of the schema.
    public var fields: [StoredField] {
        stored.fields.map {
            StoredField(name: $0.name, kind: $0.kind, constraint: $0.constraint, isNullable: $0.isNullable)
        }
    }

    /// The indexes, with their state when the collection was opened.
    public var indexes: [StoredIndex] {
        stored.indexes.map { index in
            StoredIndex(
                name: index.name,
                columns: index.columns.map { StoredIndex.Column(field: $0.field, isDescending: $0.isDescending) },
                isUnique: index.isUnique, isReady: index.isReady,
                namespace: base.core.base.indexRoot.child("\(index.id)"))
        }
    }

    /// True if there may be records of earlier versions, which only their Swift type can read.
    public var isMigrating: Bool { stored.isMigrating }

    /// The number of records.
    ///
    /// - Complexity: That of counting the entries of a namespace.
    public func count() throws(StorageError) -> Int { try base.count() }

    /// Returns the record of a key; `nil` if there is none.
    ///
    /// - Throws: `.codecFailure` if the document is no record of the schema; the errors of reading a value.
    public func find(_ key: RecordKey) throws(StorageError) -> StoredRecord? { try base.find(key) }
}

/// A field of a stored schema.
public struct StoredField: Sendable, Hashable {
    public let name: String
    public let kind: FieldKind
    public let constraint: FieldConstraint
    /// True if the record type allows nil.
    public let isNullable: Bool
}

/// An index of a stored schema.
public struct StoredIndex: Sendable, Hashable {
    /// One column: a field and a direction.
    public struct Column: Sendable, Hashable {
        public let field: String
        public let isDescending: Bool
    }

    public let name: String
    public let columns: [Column]
    /// True if no two records may agree in all columns.
    public let isUnique: Bool
    /// True if the index contains every record. Otherwise it is being built, and no query uses it.
    public let isReady: Bool
    /// The namespace of the entries, one for each record.
    public let namespace: Store.Namespace
}

extension Store {
    /// The namespaces of all spaces that hold a collection, ordered by space and path. A collection may have become
    /// unreadable: ``StoredCollection/init(in:)`` tells.
    ///
    /// - Complexity: O(namespaces of the store).
    public var collectionNamespaces: [Store.Namespace] { namespaces(withChild: SchemaKeys.namespace) }
}

extension Store.Space {
    /// Opens a stored collection of this space in the namespace `collections/NAME`; `nil` if there is none. See
    /// ``StoredCollection/init(in:)``.
    public func storedCollection(_ name: String) throws(StorageError) -> StoredCollection? {
        try StoredCollection(in: self["collections"].child(name))
    }
}
