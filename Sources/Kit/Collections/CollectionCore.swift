import Shale
import ShaleBase
import ShalePlatform

/// A moment at which namespaces are read: a snapshot, or a transaction with its own writes.
protocol ReadMoment: ~Copyable {
    associatedtype Reader: NamespaceReader
    subscript(namespace: Store.Namespace) -> Reader { get }
}

extension Store.Transaction: ReadMoment {}
extension Store.Snapshot: ReadMoment {}

/// The state that all handles of one opening of a collection share. Thread-safe.
final class CollectionCore<Record: Codable & Sendable>: Sendable {
    let layout: CollectionLayout<Record>
    /// The records, under their primary keys.
    let records: Store.Namespace
    /// The stored schema.
    let meta: Store.Namespace
    /// The parent of the namespaces of indexes.
    let indexRoot: Store.Namespace
    let random: any RandomSource
    let keys: KeyGenerator
    /// The schema that was read last, so that it is decoded once for each generation.
    private let known: Locked<OpenSchema<Record>?>
    /// The results of searches for stale entries, by the numbers of indexes.
    let checks = Locked<[Int: IndexCheck]>([:])

    var name: String { layout.schema.name }
    var codec: VersionedCodec<Record> { layout.schema.codec }

    init(
        _ layout: CollectionLayout<Record>, _ records: Store.Namespace, random: any RandomSource,
        known: OpenSchema<Record>? = nil
    ) {
        self.known = Locked(known)
        self.layout = layout
        self.records = records
        meta = records.child(SchemaKeys.namespace)
        indexRoot = records.child(SchemaKeys.indexes)
        self.random = random
        keys = KeyGenerator(random: random)
    }

    /// Returns the schema as of a moment; `nil` if none is stored.
    ///
    /// Every write reads the generation in its transaction, so a change of the schema makes it conflict and run again.
    ///
    /// - Throws: `.schemaMismatch` if the stored schema is not this collection's.
    func schema(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> OpenSchema<Record>? {
        let reader = moment[meta]
        guard let generation = try reader.bytes(forKey: SchemaKeys.generation) else { return nil }
        if let known = known.withLock({ $0 }), known.generation == generation { return known }
        guard let stored = try reader.value(forKey: SchemaKeys.schema, as: StoredSchema.self) else { return nil }
        try requireSame(stored)
        let opened = OpenSchema(generation, stored, layout, indexRoot, try hashers(of: stored, at: moment))
        known.withLock { $0 = opened }
        return opened
    }

    /// The schema that was read last. It may be outdated.
    var knownSchema: OpenSchema<Record>? { known.withLock { $0 } }

    func requireSame(_ stored: StoredSchema) throws(StorageError) {
        guard stored.format <= StoredSchema.format else {
            throw StorageError(.newerFormat, "a newer version wrote the schema collection=\(name)")
        }
        guard stored.version == layout.schema.version else {
            throw .schema(
                "the stored schema has another version stored=\(stored.version) opened=\(layout.schema.version)", name)
        }
        let own = layout.stored(firstIndex: 1, isReady: true)
        let differences = stored.differences(from: own)
        guard differences.isEmpty else {
            throw .schema("the stored schema differs in: \(differences.joined(separator: ", "))", name)
        }
        // A writer that does not know an index would leave its entries out.
        for index in stored.indexes where !own.indexes.contains(where: { $0.hasSameDefinition(as: index) }) {
            throw .schema("the stored schema has an index that this one lacks index=\(index.name)", name)
        }
    }

    /// Returns the record of a key at a moment; `nil` if there is none.
    func record(
        _ primary: [UInt8], at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> Record? {
        try moment[records].value(forKey: primary, using: codec)
    }
}

/// The names and keys of a collection's own data. On disk, do not change.
enum SchemaKeys {
    static let namespace = ".schema"
    static let indexes = ".index"
    static let schema = "schema"
    /// 8 random bytes that change with the schema.
    static let generation = "generation"
    static let generationBytes = Array(generation.utf8)
    static let position = "position"
    /// The generation of a pass that met records which can't be read.
    static let failures = "failures"
    static let secretPrefix = "secret."

    /// The key of an index's secret.
    static func secret(_ index: Int) -> [UInt8] { Array("\(secretPrefix)\(index)".utf8) }
}

/// A stored schema with its indexes resolved. A class, because each write takes a copy.
final class OpenSchema<Record: Codable & Sendable>: Sendable {
    let generation: [UInt8]
    let stored: StoredSchema
    /// The indexes that writers maintain, in the order of the layout.
    let indexes: [OpenIndex<Record>]
    /// The hash functions of the indexes that need one, by their numbers.
    let hashers: [Int: ColumnHasher]

    init(
        _ generation: [UInt8], _ stored: StoredSchema, _ layout: CollectionLayout<Record>, _ root: Store.Namespace,
        _ hashers: [Int: ColumnHasher]
    ) {
        self.generation = generation
        self.stored = stored
        self.hashers = hashers
        let wanted = layout.stored(firstIndex: 1, isReady: true).indexes
        indexes = stored.indexes.compactMap { index in
            guard let position = wanted.firstIndex(where: { $0.hasSameDefinition(as: index) }) else { return nil }
            let plain = layout.indexes[position]
            return OpenIndex(
                layout: hashers[index.id].map { plain.hashing(with: $0) } ?? plain,
                namespace: root.child("\(index.id)"), stored: index)
        }
    }
}

struct OpenIndex<Record: Codable & Sendable>: Sendable {
    let layout: IndexLayout<Record>
    let namespace: Store.Namespace
    let stored: StoredSchema.Index

    var name: String { layout.name }
    var isReady: Bool { stored.isReady }
}
