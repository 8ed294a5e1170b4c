public import Shale
import ShaleBase

/// Single records.
extension RecordCollection {
    /// Returns the record of a key; `nil` if there is none.
    ///
    /// - Throws: The errors of reading a value.
    /// - Complexity: One read.
    public func find(_ key: RecordKey) throws(StorageError) -> Record? {
        guard let document = try core.records.source.document(forKey: key.bytes) else { return nil }
        return try core.coder.decode(document)
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
        switch try core.findClaim(position, value.fieldElement) {
        case .found(let record): return record
        case .missing: return nil
        case .unknown:
            return try RecordQuery(core: core, filter: .compare(position, .equal, value.fieldElement)).first()
        }
    }

    /// The number of records.
    ///
    /// - Complexity: That of counting the entries of a namespace.
    public func count() throws(StorageError) -> Int { try core.records.count() }
}

/// A lookup in a unique index without a snapshot.
///
/// Its two reads see different moments, so the answer is checked:
/// 1. A record that has the value when it is read is an answer as of that moment.
/// 2. A missing entry is an answer if the generation of the schema is still the known one afterwards. The index was
///    ready and was not dropped when the entry was read, because the generation would be another one.
///
/// In any other case a query answers.
extension CollectionCore {
    enum ClaimedRecord {
        case found(Record)
        case missing
        case unknown
    }

    func findClaim(_ field: Int, _ value: CompositeKey.Element) throws(StorageError) -> ClaimedRecord {
        guard let schema = base.knownSchema, let index = schema.claimIndexes[field] else { return .unknown }
        var key = IndexKey()
        index.layout.append(value, column: 0, to: &key)
        guard key.cutEnd == nil, FieldOrder.isEqual(value, value) else { return .unknown }
        guard let entry = try index.namespace.storedBytes(key.bytes) else {
            let generation = try base.meta.storedBytes(SchemaKeys.generationBytes)
            return generation == schema.generation ? .missing : .unknown
        }
        let primary = try IndexEntryValue(entry, key: key.bytes, invertsPrimary: index.layout.invertsPrimary).primary
        guard let document = try records.source.document(forKey: primary) else { return .unknown }
        let record = try coder.decode(document)
        let found = RecordAddress.with(of: record) { layout.fields[field].element($0) }
        return FieldOrder.isSame(found, value) ? .found(record) : .unknown
    }
}
