package import Shale
package import ShaleBase
package import ShalePlatform

/// Takes note of each change of a collection, in the transaction that makes it. For modules that build on collections.
package protocol RecordJournal<Record>: Sendable {
    associatedtype Record: Codable & Sendable

    /// Called after the writes of the record. An error fails the whole transaction.
    ///
    /// - Parameters:
    ///   - old: The record before; `nil` for a new one, and for one that no longer decodes.
    ///   - isDeleted: True for a deletion.
    func note(
        _ key: RecordKey, replacing old: Record?, isDeleted: Bool, in transaction: borrowing Store.Transaction
    ) throws(StorageError)
}

extension RecordCollection {
    /// Opens a collection whose changes a journal takes note of. See ``init(_:in:onDifference:)``.
    package init(
        _ schema: RecordSchema<Record>, in namespace: Store.Namespace, onDifference: SchemaChange = .refuse,
        random: any RandomSource, journal: any RecordJournal<Record>
    ) throws(StorageError) {
        core = CollectionCore(
            try CollectionLayout(schema), schema, namespace, random: random, journal: journal)
        try core.base.open(adopting: onDifference.adopts)
    }

    /// Stores a record under a key, in place of an earlier one if there is one.
    ///
    /// - Throws: `.invalidArgument` if the key is a field, and the record has another one. Otherwise as
    ///   ``put(_:options:in:)``.
    package func put(
        _ record: Record, at key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try core.requireKey(key, of: record)
        _ = try core.put(record, key, [], in: transaction)
    }

    /// Returns the record of a key as a transaction sees it; `nil` if there is none.
    package func record(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Record? {
        try core.record(key.bytes, at: transaction)
    }

    /// Returns the record of a key as of a moment; `nil` if there is none.
    package func record(_ key: RecordKey, at moment: Store.Snapshot) throws(StorageError) -> Record? {
        try core.record(key.bytes, at: moment)
    }
}

extension RecordKey {
    /// Makes a key of what ``bytes`` returned.
    package init(storedBytes: [UInt8]) { self.init(bytes: storedBytes) }
}

extension RecordSchema {
    /// True if a field is the primary key.
    package func isKey(_ field: RecordField<Record>) -> Bool {
        guard let key else { return false }
        return field.layout.path as AnyKeyPath == key as AnyKeyPath
    }
}
