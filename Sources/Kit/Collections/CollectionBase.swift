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

/// The part of a collection's state that is the same for all types of records. Thread-safe.
final class CollectionBase: Sendable {
    let layout: CollectionLayout
    let decoder: any RecordDecoding
    /// The records, under their primary keys.
    let records: Store.Namespace
    /// The stored schema.
    let meta: Store.Namespace
    /// The parent of the namespaces of indexes.
    let indexRoot: Store.Namespace
    let random: any RandomSource
    let keys: KeyGenerator
    /// The schema that was read last, so that it is decoded once for each generation.
    private let known: Locked<OpenSchema?>
    /// The results of searches for stale entries, by the numbers of indexes.
    let checks = Locked<[Int: IndexCheck]>([:])

    var name: String { layout.name }

    init(
        _ layout: CollectionLayout, _ records: Store.Namespace, _ decoder: any RecordDecoding,
        random: any RandomSource, known: OpenSchema?
    ) {
        self.decoder = decoder
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
    func schema(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> OpenSchema? {
        let reader = moment[meta]
        if let known = knownSchema,
            try reader.source.hasBytes(known.generation, forKey: SchemaKeys.generationBytes)
        {
            return known
        }
        guard let generation = try reader.bytes(forKey: SchemaKeys.generation),
            let stored = try reader.value(forKey: SchemaKeys.schema, as: StoredSchema.self)
        else { return nil }
        try requireSame(stored)
        let opened = OpenSchema(generation, stored, layout, indexRoot, try hashers(of: stored, at: moment))
        known.withLock { $0 = opened }
        return opened
    }

    /// The schema that was read last. It may be outdated.
    var knownSchema: OpenSchema? { known.withLock { $0 } }

    func requireSame(_ stored: StoredSchema) throws(StorageError) {
        guard stored.format <= StoredSchema.format else {
            throw StorageError(.newerFormat, "a newer version wrote the schema collection=\(name)")
        }
        guard stored.version == layout.version else {
            throw .schema(
                "the stored schema has another version stored=\(stored.version) opened=\(layout.version)", name)
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

    /// Returns the document of the record of a key at a moment; `nil` if there is none.
    func document(
        _ primary: [UInt8], at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> VersionedDocument? {
        try moment[records].source.document(forKey: primary)
    }

    /// Passes the address of the record of a key at a moment to `body`. Returns `nil` if there is no record. Throws the
    /// errors of reading and decoding it.
    func withRecord<R>(
        _ primary: [UInt8], at moment: borrowing some ReadMoment & ~Copyable, _ body: (RecordAddress) -> R
    ) throws(StorageError) -> R? {
        guard let document = try document(primary, at: moment) else { return nil }
        var result: R?
        try decoder.withRecord(of: document) { result = body($0) }
        return result
    }
}
