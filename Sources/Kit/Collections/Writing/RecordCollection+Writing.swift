public import Shale
import ShaleBase

/// Single records. Each call is one atomic step: the record and its index entries, or nothing.
///
/// The calls with `in:` do the same as a part of a caller's transaction, together with other collections and
/// namespaces.
///
/// All of them throw `.constraintViolated` if the record breaks a constraint;
/// ``ShaleBase/StorageError/constraintViolation`` names it. Of two writers that set the same unique value, one gets
/// that error, and never `.conflict`. They throw `.schemaMismatch` if another opening has changed the schema since,
/// and the errors of a transaction.
extension RecordCollection {
    /// Inserts a record whose key must not exist. Returns the key.
    ///
    /// - Parameters:
    ///   - record: The record, at most 32 MiB when encoded.
    ///   - options: Purgeability, expiry and encryption. The index entries get the same, except encryption: an
    ///     encrypted record needs indexes that hide its values (``RecordSchema/hidesIndexedValues``), otherwise the
    ///     call throws `.cipherMismatch`.
    ///   - durability: What the insertion survives once it has returned; `nil` means the store's default.
    /// - Complexity: One read for each unique index, one write for each index and the record.
    @discardableResult
    public func insert(
        _ record: Record, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> RecordKey {
        let key = try core.newKey(of: record)
        return try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            try core.insert(record, key, options, in: transaction)
        }
    }

    /// Inserts a record as a part of a transaction.
    @discardableResult
    public func insert(
        _ record: Record, options: ValueOptions = [], in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> RecordKey {
        try core.insert(record, try core.newKey(of: record), options, in: transaction)
    }

    /// Inserts records in one atomic step. Returns their keys, in the order of the records.
    ///
    /// - Throws: `.invalidArgument` if records and index entries take more than 64 MiB. Insert fewer at once then.
    @discardableResult
    public func insert(
        contentsOf records: some Sequence<Record>, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> [RecordKey] {
        let new = try core.newRecords(Array(records))
        return try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            let options = try core.records.resolved(options)
            let schema = try core.base.writableSchema(in: transaction)
            if try !core.insertNew(new, options, schema, in: transaction) {
                for (record, key) in zip(new.records, new.keys) {
                    try core.insert(record, key, options, schema, in: transaction)
                }
            }
            return new.keys
        }
    }

    /// Stores a record under the key in its key field, in place of an earlier one if there is one. Returns true if
    /// there was one.
    ///
    /// - Throws: `.invalidArgument` if keys are generated; use ``replace(_:with:options:durability:)``.
    @discardableResult
    public func put(
        _ record: Record, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        let key = try core.fieldKey(of: record)
        return try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            try core.put(record, key, options, in: transaction)
        }
    }

    /// Stores a record as a part of a transaction.
    @discardableResult
    public func put(
        _ record: Record, options: ValueOptions = [], in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        try core.put(record, try core.fieldKey(of: record), options, in: transaction)
    }

    /// Replaces the record of an existing key. Returns false, and writes nothing, if the key does not exist.
    ///
    /// - Throws: `.invalidArgument` if the key is a field, and the record has another one.
    @discardableResult
    public func replace(
        _ key: RecordKey, with record: Record, options: ValueOptions = [], durability: Durability? = nil
    ) throws(StorageError) -> Bool {
        try core.requireKey(key, of: record)
        return try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            guard try transaction.contains(key.bytes, in: core.records) else { return false }
            return try core.put(record, key, options, in: transaction)
        }
    }

    /// Changes the record of a key. Returns false if the key does not exist.
    ///
    /// The entry keeps its expiry, its purgeability and its encryption. `change` may run again after a conflict, so it
    /// should have no side effects.
    ///
    /// - Throws: `.invalidArgument` if `change` changes the field of the primary key. The errors of `change`.
    @discardableResult
    public func modify(
        _ key: RecordKey, durability: Durability? = nil, _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            try core.modify(key, in: transaction, change)
        }
    }

    /// Changes a record as a part of a transaction.
    @discardableResult
    public func modify(
        _ key: RecordKey, in transaction: borrowing Store.Transaction,
        _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try core.modify(key, in: transaction, change)
    }

    /// Deletes the record of a key. Returns false if the key does not exist.
    @discardableResult
    public func delete(_ key: RecordKey, durability: Durability? = nil) throws(StorageError) -> Bool {
        try core.records.transaction(durability: durability) { (transaction) throws(StorageError) in
            try core.delete(key, in: transaction)
        }
    }

    /// Deletes a record as a part of a transaction.
    @discardableResult
    public func delete(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        try core.delete(key, in: transaction)
    }
}
