import Shale
import ShaleBase

/// Opening: the stored schema is created, compared or replaced.
extension CollectionBase {
    func open(adopting adopts: Bool) throws(StorageError) {
        guard !(try records.isReadOnly) else {
            _ = try schema(at: try records.snapshot())
            return
        }
        // The secrets of indexes are encrypted anyway. With the option, a dump that was decrypted and loaded again has
        // them encrypted, too.
        if try hidesValues, !layout.indexes.isEmpty, try !meta.options.isEncrypted {
            try meta.setOptions(NamespaceOptions(isEncrypted: true))
        }
        let stored = try records.snapshot()[meta].value(forKey: SchemaKeys.schema, as: StoredSchema.self)
        if let stored, try isCurrent(stored, adopts) { return try removeOrphans() }
        _ = try records.transaction { (transaction) throws(StorageError) in
            try adopt(in: transaction, replacing: adopts)
        }
        try removeOrphans()
        try checkEmptyIndexes()
    }

    /// True if a stored schema needs no change.
    private func isCurrent(_ stored: StoredSchema, _ adopts: Bool) throws(StorageError) -> Bool {
        let own = layout.stored(firstIndex: 1, isReady: true)
        if !adopts || stored.version == own.version { try requireSameExceptIndexes(stored) }
        if stored.version > own.version { try requireSame(stored) }
        let isSame =
            stored.version == own.version && stored.indexes.count == own.indexes.count
            && own.indexes.allSatisfy { index in stored.indexes.contains { $0.hasSameDefinition(as: index) } }
        guard isSame || adopts else {
            throw .schema("the stored schema has other indexes", name)
        }
        let isHidden = try !hidesValues || stored.indexes.allSatisfy(\.containsHashes)
        guard isHidden || adopts else {
            throw StorageError(
                .cipherMismatch,
                "the indexes contain values that are to be hidden: adopt the schema to build them again"
                    + " collection=\(name)")
        }
        return isSame && isHidden
    }

    private func requireSameExceptIndexes(_ stored: StoredSchema) throws(StorageError) {
        var stored = stored
        stored.indexes = []
        try requireSame(stored)
    }

    /// Returns the schema for a write, and creates it if the collection was dropped since it was opened.
    func writableSchema(in transaction: borrowing Store.Transaction) throws(StorageError) -> OpenSchema {
        if let schema = try schema(at: transaction) { return schema }
        return try adopt(in: transaction, replacing: false)
    }

    /// Stores this collection's schema in place of the stored one.
    ///
    /// An index that keeps its definition and its version stays. Any other one gets a new namespace, and is ready at
    /// once only if there are no records. The emptiness is read in the transaction, so a record that is inserted
    /// meanwhile makes it run again.
    @discardableResult
    func adopt(
        in transaction: borrowing Store.Transaction, replacing isAllowed: Bool
    ) throws(StorageError) -> OpenSchema {
        let old = try transaction.value(forKey: SchemaKeys.schema, in: meta, as: StoredSchema.self)
        if let old, try isCurrent(old, isAllowed), let schema = try schema(at: transaction) { return schema }
        let isEmpty = try transaction[records].keys.first() == nil
        let first = old?.nextIndex ?? freeIndexNumber
        let hidesValues = try hidesValues
        var new = layout.stored(firstIndex: first, isReady: isEmpty, containsHashes: hidesValues)
        if let old {
            let isSameVersion = old.version == new.version
            for position in new.indexes.indices where isSameVersion {
                let kept = old.indexes.first {
                    $0.hasSameDefinition(as: new.indexes[position]) && ($0.containsHashes || !hidesValues)
                }
                if let kept { new.indexes[position] = kept }
            }
            new.isMigrating = !isEmpty && (old.isMigrating || !isSameVersion)
        }
        return try store(new, in: transaction)
    }

    /// Stores a schema with a new generation.
    @discardableResult
    func store(
        _ stored: StoredSchema, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> OpenSchema {
        // Everything else depends on the schema, so no purge and no expiry removes it.
        let options: ValueOptions = [.notPurgeable, .neverExpires, .notEncrypted]
        let number = random.next()
        let generation = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        try transaction.set(stored, forKey: SchemaKeys.schema, in: meta, as: .json, options: options)
        try transaction.set(generation, forKey: SchemaKeys.generation, in: meta, options: options)
        try storeSecrets(of: stored, in: transaction)
        return OpenSchema(generation, stored, layout, indexRoot, try hashers(of: stored, at: transaction))
    }

    /// A number above those of all namespaces of indexes that exist.
    private var freeIndexNumber: Int { (indexRoot.childNames.compactMap { Int($0) }.max() ?? 0) + 1 }

    /// Drops the namespaces of indexes that the schema does not have, each in O(1), and gives the others the version
    /// scope of the records.
    ///
    /// The namespaces are listed before the schema is read. An index that is in the list and not in the schema was
    /// therefore removed from it: numbers are never used twice.
    func removeOrphans() throws(StorageError) {
        let found = indexRoot.childNames
        guard let schema = try schema(at: try records.snapshot()) else { return }
        let ids = Set(schema.stored.indexes.map { "\($0.id)" })
        for name in found where !ids.contains(name) { try indexRoot.child(name).drop() }
        guard try records.options.isVersionScoped else { return }
        for index in schema.indexes where !(try index.namespace.options.isVersionScoped) {
            try index.namespace.setOptions(NamespaceOptions(isVersionScoped: true))
        }
    }
}
