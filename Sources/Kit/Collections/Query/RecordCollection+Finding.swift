public import Shale
import ShaleBase

/// Single records.
extension RecordCollection {
    /// Returns the record of a key; `nil` if there is none.
    ///
    /// - Throws: The errors of ``Shale/NamespaceReader/value(forKey:using:)``.
    /// - Complexity: One read.
    public func find(_ key: RecordKey) throws(StorageError) -> Record? {
        try core.records.value(forKey: key.bytes, using: core.codec)
    }

    /// Returns the record whose key has a value: that of the key field, or a generated UUID.
    public func find(_ value: some FieldValue) throws(StorageError) -> Record? { try find(RecordKey(value)) }

    /// Returns a record as a transaction sees it.
    public func find(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Record? {
        try core.record(key.bytes, at: transaction)
    }

    /// Returns the record with a value in a unique field; `nil` if there is none.
    ///
    /// ```swift
    /// let ada = try people.find(\.email, "ada@example.org")
    /// ```
    /// - Throws: `.invalidArgument` if the field is not unique or the value is nil.
    /// - Complexity: Two reads.
    public func find<Value: FieldValue>(
        _ field: any KeyPath<Record, Value> & Sendable, _ value: Value
    ) throws(StorageError) -> Record? {
        let position = try CollectionLayout.position(of: field, in: core.layout.fields, "the key path")
        if position == core.layout.key { return try find(value) }
        guard core.layout.fields[position].constraint.isUnique, value.fieldElement != .null else {
            throw .invalid("the field is not unique, or the value is nil field=\(core.layout.fields[position].name)")
        }
        return try RecordQuery(core: core, filter: .compare(position, .equal, value.fieldElement)).first()
    }

    /// The number of records.
    ///
    /// - Complexity: That of ``Shale/NamespaceReader/count()``.
    public func count() throws(StorageError) -> Int { try core.records.count() }
}
