public import Shale

/// The description of a collection: its name, version, fields, primary key, constraints and indexes.
///
/// ```swift
/// struct Person: Codable, Sendable { var id: Int, name: String, email: String?, age: Int }
///
/// let schema = RecordSchema<Person>(
///     key: \.id,
///     fields: [
///         RecordField("id", \.id), RecordField("name", \.name, .notNull),
///         RecordField("email", \.email, .unique), RecordField("age", \.age),
///     ],
///     indexes: [RecordIndex("byAge", .ascending(\.age), .ascending(\.name))])
/// ```
/// Fields are the properties that conditions, orders and indexes refer to. A record may have others, which are stored
/// with it.
///
/// The version is that of the schema's `VersionedCodec`. Any change of fields, constraints or primary key needs a
/// new version: see ``RecordCollection/migrate(progress:)``.
public struct RecordSchema<Record: Codable & Sendable>: Sendable {
    public let name: String
    /// The version of the records that are written.
    public var version: Int { codec.current }
    public let fields: [RecordField<Record>]
    public let indexes: [RecordIndex<Record>]
    /// True if indexes contain keyed hashes in place of values, so that records can be encrypted one by one. Default
    /// false.
    ///
    /// Indexes of a collection in a namespace that encrypts by default always contain hashes. Such an index serves
    /// equality; ranges, prefixes and orders are answered by reading records. The article "How collections work" names
    /// what an attacker with the files learns.
    public var hidesIndexedValues = false
    let codec: VersionedCodec<Record>
    /// `nil` if keys are generated.
    let key: (any AnyKeyPath & Sendable)?

    /// Describes a collection whose records are identified by a field.
    ///
    /// - Parameters:
    ///   - name: The name of the collection. The default is the name of the record type.
    ///   - codec: The versions of the record type, if there is more than one.
    ///   - key: A field of the schema. Two records never have the same key.
    ///   - fields: At least one field.
    ///   - indexes: Indexes besides those of unique fields.
    public init<Key: FieldValue>(
        _ name: String = "\(Record.self)", codec: VersionedCodec<Record> = VersionedCodec(Record.self),
        key: any KeyPath<Record, Key> & Sendable, fields: [RecordField<Record>], indexes: [RecordIndex<Record>] = []
    ) {
        self.name = name
        self.codec = codec
        self.key = key
        self.fields = fields
        self.indexes = indexes
    }

    /// Describes a collection that generates a key for each record that is inserted: a UUID that begins with the time,
    /// so that records are ordered by insertion (RFC 9562, version 7).
    public init(
        _ name: String = "\(Record.self)", codec: VersionedCodec<Record> = VersionedCodec(Record.self),
        fields: [RecordField<Record>], indexes: [RecordIndex<Record>] = []
    ) {
        self.name = name
        self.codec = codec
        key = nil
        self.fields = fields
        self.indexes = indexes
    }
}
