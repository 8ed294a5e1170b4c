import Shale

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
final class OpenSchema: Sendable {
    let generation: [UInt8]
    let stored: StoredSchema
    /// The indexes that writers maintain, in the order of the layout.
    let indexes: [OpenIndex]
    /// The indexes in the order in which a write changes them: those that it reads first. A transaction notes its
    /// writes when it reads again, so most insertions note none.
    let writingOrder: [OpenIndex]
    /// For each field the ready unique index of this field alone; `nil` if there is none.
    let claimIndexes: [OpenIndex?]
    /// The hash functions of the indexes that need one, by their numbers.
    let hashers: [Int: ColumnHasher]

    init(
        _ generation: [UInt8], _ stored: StoredSchema, _ layout: CollectionLayout, _ root: Store.Namespace,
        _ hashers: [Int: ColumnHasher]
    ) {
        self.generation = generation
        self.stored = stored
        self.hashers = hashers
        let wanted = layout.stored(firstIndex: 1, isReady: true).indexes
        let indexes = stored.indexes.compactMap { (index) -> OpenIndex? in
            guard let position = wanted.firstIndex(where: { $0.hasSameDefinition(as: index) }) else { return nil }
            let plain = layout.indexes[position]
            return OpenIndex(
                layout: hashers[index.id].map { plain.hashing(with: $0) } ?? plain,
                namespace: root.child("\(index.id)"), stored: index)
        }
        self.indexes = indexes
        writingOrder = indexes.filter(\.layout.isUnique) + indexes.filter { !$0.layout.isUnique }
        claimIndexes = layout.fields.indices.map { (field) in
            indexes.first { $0.isReady && $0.layout.isUnique && $0.layout.columns.map(\.field) == [field] }
        }
    }
}

/// An index of an open schema. A class, because each write and each query takes copies.
final class OpenIndex: Sendable {
    let layout: IndexLayout
    let namespace: Store.Namespace
    let stored: StoredSchema.Index

    init(layout: IndexLayout, namespace: Store.Namespace, stored: StoredSchema.Index) {
        self.layout = layout
        self.namespace = namespace
        self.stored = stored
    }

    var name: String { layout.name }
    var isReady: Bool { stored.isReady }
}
