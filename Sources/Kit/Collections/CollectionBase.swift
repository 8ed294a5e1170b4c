import Shale
import ShaleBase
import ShalePlatform

/// A moment at which namespaces are read: a snapshot, or a transaction with its own writes.
protocol ReadMoment: ~Copyable {
    associatedtype Reader: NamespaceReader
    /// True if everything that is read may cause a conflict, so that nothing is read ahead.
    var conflicts: Bool { get }
    subscript(namespace: Store.Namespace) -> Reader { get }
}

extension Store.Transaction: ReadMoment {
    var conflicts: Bool { true }
}

extension Store.Snapshot: ReadMoment {
    var conflicts: Bool { false }
}

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
    /// A schema that was read.
    private struct Known: Sendable {
        let schema: OpenSchema
        /// The last moment at which the schema was found to be the stored one.
        var mark: ReadMark?
    }

    /// The schema that was read last, so that it is decoded once for each generation.
    private let known: Locked<Known?>
    /// The results of searches for stale entries, by the numbers of indexes.
    let checks = Locked<[Int: IndexCheck]>([:])

    var name: String { layout.name }

    init(
        _ layout: CollectionLayout, _ records: Store.Namespace, _ decoder: any RecordDecoding,
        random: any RandomSource, known: OpenSchema?
    ) {
        self.decoder = decoder
        self.known = Locked(known.map { Known(schema: $0) })
        self.layout = layout
        self.records = records
        meta = records.child(SchemaKeys.namespace)
        indexRoot = records.child(SchemaKeys.indexes)
        self.random = random
        keys = KeyGenerator(random: random)
    }

    /// Returns the schema as of a moment; `nil` if none is stored.
    ///
    /// Every write counts the generation as read in its transaction, so a change of the schema makes it conflict and
    /// run again.
    ///
    /// - Throws: `.schemaMismatch` if the stored schema is not this collection's.
    func schema(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> OpenSchema? {
        let reader = moment[meta]
        if let known = known.withLock({ $0 }), try isStored(known, reader.source) { return known.schema }
        guard let generation = try reader.bytes(forKey: SchemaKeys.generation),
            let stored = try reader.value(forKey: SchemaKeys.schema, as: StoredSchema.self)
        else { return nil }
        try requireSame(stored)
        let opened = OpenSchema(generation, stored, layout, indexRoot, try hashers(of: stored, at: moment))
        known.withLock { $0 = Known(schema: opened) }
        return opened
    }

    /// True if a known schema is the one that a reader finds. Compares the generations, unless nothing was written into
    /// the namespace of the schema since the last comparison.
    private func isStored(_ found: Known, _ source: Store.Namespace.Source) throws(StorageError) -> Bool {
        if let mark = found.mark, try source.isUnchanged(SchemaKeys.generationBytes, since: mark) { return true }
        guard try source.hasBytes(found.schema.generation, forKey: SchemaKeys.generationBytes) else { return false }
        // A transaction that has written the generation itself may not commit it, so it leaves no mark.
        if let mark = try source.mark(of: SchemaKeys.generationBytes) {
            known.withLock { if $0?.schema === found.schema { $0?.mark = mark } }
        }
        return true
    }

    /// The schema that was read last. It may be outdated.
    var knownSchema: OpenSchema? { known.withLock { $0?.schema } }

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
        let reader = decoder.makeReader()
        defer { withExtendedLifetime(reader) {} }
        return body(try reader.read(document))
    }
}
