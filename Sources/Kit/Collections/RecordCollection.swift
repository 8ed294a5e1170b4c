public import Shale
import ShaleBase
import ShalePlatform

/// A collection of records of one type in a namespace, with a schema, indexes, constraints and queries.
///
/// ```swift
/// let people = try store.common.collection(Person.schema)
/// try people.insert(Person(id: 1, name: "Ada", email: "ada@example.org", age: 36))
/// let adults = try people.query(#Predicate { $0.age >= 18 }).ordered(by: .ascending(\.name)).limit(20).records()
/// try people.query(#Predicate { $0.age < 18 }).delete()
/// ```
/// - **Atomic.** A record and its index entries are written in one step, for readers and after any fault.
/// - **One moment.** A query sees the collection as of its start, whatever is written meanwhile.
/// - **Text is compared as bytes**, in conditions, orders and constraints: "é" composed and decomposed are two texts.
/// - **Users.** `store.user(id).collection(schema)` belongs to the user, and goes with the user.
///
/// Everything may be called from any thread. Copies share their state. Write the collection's namespace through the
/// collection only. Purges, truncations and policies may remove records there: a query verifies what an index says.
public struct RecordCollection<Record: Codable & Sendable>: Sendable {
    let core: CollectionCore<Record>

    /// The way to treat a stored schema that is not the one given.
    public struct SchemaChange: Sendable, Hashable {
        let adopts: Bool

        /// The opening throws `.schemaMismatch`.
        public static var refuse: SchemaChange { SchemaChange(adopts: false) }
        /// A higher version, or other indexes of the same version, become the stored schema at once.
        /// ``RecordCollection/migrate(progress:)`` then builds new indexes and rewrites old records. Until then old
        /// records are read in the new version, and conditions that need a new index are answered by reading.
        public static var adopt: SchemaChange { SchemaChange(adopts: true) }
    }

    /// Opens a collection, and creates it if the namespace has none. Opening it again changes nothing.
    ///
    /// - Parameters:
    ///   - schema: The description. It is checked against itself and against the record type.
    ///   - namespace: The namespace of the records. Those below it named `.schema` and `.index` belong to the
    ///     collection.
    ///   - onDifference: What happens if the stored schema differs.
    /// - Throws: `.invalidArgument` for a schema that contradicts itself or the record type; the message names the
    ///   field. `.schemaMismatch` for another stored schema. `.cipherMismatch` if the namespace encrypts by default and
    ///   a stored index contains values, or if the store was opened without encryption, or with a cipher that is not
    ///   `KeyedHashing`. The errors of a transaction.
    /// - Complexity: O(namespaces of the store). It reads no record.
    public init(
        _ schema: RecordSchema<Record>, in namespace: Store.Namespace, onDifference: SchemaChange = .refuse
    ) throws(StorageError) {
        try self.init(schema, in: namespace, onDifference: onDifference, random: SystemRandom())
    }

    package init(
        _ schema: RecordSchema<Record>, in namespace: Store.Namespace, onDifference: SchemaChange = .refuse,
        random: any RandomSource
    ) throws(StorageError) {
        core = CollectionCore(try CollectionLayout(schema), schema, namespace, random: random)
        try core.base.open(adopting: onDifference.adopts)
    }

    init(core: CollectionCore<Record>) { self.core = core }

    public var name: String { core.name }

    /// The namespace of the records.
    public var namespace: Store.Namespace { core.records }

    /// The path of the directory of the collection's store: `Store.path`.
    public var storePath: String { core.records.storePath }

    /// The schema that the collection was opened with.
    public var schema: RecordSchema<Record> { core.schema }

    /// True if ``migrate(progress:)`` has something to do: records of earlier versions, or indexes to build.
    public var needsMigration: Bool {
        get throws(StorageError) {
            guard let schema = try core.base.schema(at: try core.records.snapshot()) else { return false }
            return schema.stored.isMigrating || schema.indexes.contains { !$0.isReady }
        }
    }
}

extension Store.Space {
    /// Opens a collection in the namespace `collections/NAME` of this space, and creates it if there is none. See
    /// ``RecordCollection/init(_:in:onDifference:)``.
    public func collection<Record>(
        _ schema: RecordSchema<Record>, onDifference: RecordCollection<Record>.SchemaChange = .refuse
    ) throws(StorageError) -> RecordCollection<Record> {
        try RecordCollection(schema, in: self["collections"].child(schema.name), onDifference: onDifference)
    }
}
