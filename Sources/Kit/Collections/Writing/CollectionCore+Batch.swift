import Shale
import ShaleBase

/// New records with their keys, in the same order.
///
/// Two arrays: code that is generic over the records copies each record of an array of pairs several times.
struct NewRecords<Record: Sendable> {
    let records: [Record]
    let keys: [RecordKey]
}

/// The entries of new records in one index, made before anything is read.
private struct NewEntries {
    /// The keys and values of one entry for each record, in their order.
    var keys = KeyList()
    var values = KeyList()
    /// The keys of the entries that exclude others.
    var claims = KeyList()
}

/// Insertions of many records in one step.
extension CollectionCore {
    /// Returns records with their keys.
    func newRecords(_ records: [Record]) throws(StorageError) -> NewRecords<Record> {
        var keys: [RecordKey] = []
        keys.reserveCapacity(records.count)
        try RecordAddress.forEach(of: records) { (record) throws(StorageError) in
            keys.append(try base.newKey(of: record))
        }
        return NewRecords(records: records, keys: keys)
    }

    /// Inserts records whose keys and unique values are all new. Returns false, with nothing written, if one of them
    /// breaks a constraint or may do so: inserting them one by one then finds which, or that none does.
    ///
    /// 1. All keys and claims are read before the first write, in groups. If the transaction reads one twice, two of
    ///    the records have it.
    /// 2. They count as read, as those of single insertions do, so a writer that takes one of them conflicts.
    /// 3. The transaction reads nothing between its writes, and so notes none of them.
    func insertNew(
        _ new: NewRecords<Record>, _ options: ValueOptions, _ schema: OpenSchema,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        guard new.keys.count > 1, base.exposure(of: options, schema) == nil, let indexes = newEntries(new, schema)
        else { return false }
        if layout.key != nil {
            var keys = KeyList()
            for key in new.keys { keys.append(key.bytes) }
            guard try transaction.areNew(keys, in: records) else { return false }
        }
        for (index, new) in zip(schema.indexes, indexes) where !new.claims.isEmpty {
            guard try transaction.areNew(new.claims, in: index.namespace) else { return false }
        }
        let entryOptions = options.unencrypted
        for (index, new) in zip(schema.indexes, indexes) {
            try transaction.setBytes(new.values, forKeys: new.keys, in: index.namespace, options: entryOptions)
        }
        var next = 0
        let session = coder.takeSession()
        defer { coder.keep(session) }
        try RecordAddress.forEach(of: new.records) { (record) throws(StorageError) in
            let key = new.keys[next]
            next += 1
            try record.with(Record.self) { (record) throws(StorageError) in
                try transaction.setDocument(
                    record, forKey: key.bytes, in: records, using: codec, options: options, session)
            }
            try journal?.note(key, replacing: nil, isDeleted: false, in: transaction)
        }
        return true
    }

    /// Returns the entries for each index of the schema; `nil` if a record lacks a value, or if an entry's claim is not
    /// its key alone.
    private func newEntries(_ new: NewRecords<Record>, _ schema: OpenSchema) -> [NewEntries]? {
        var found = Array(repeating: NewEntries(), count: schema.indexes.count)
        var (next, areUsual) = (0, true)
        var (key, value) = (IndexKey(capacity: 128), [UInt8]())
        RecordAddress.forEach(of: new.records) { (record) in
            areUsual =
                areUsual && base.append(entriesOf: record, new.keys[next].bytes, schema, to: &found, &key, &value)
            next += 1
        }
        return areUsual ? found : nil
    }
}

extension CollectionBase {
    func newKey(of record: RecordAddress) throws(StorageError) -> RecordKey {
        guard layout.key == nil else { return try fieldKey(of: record) }
        return try RecordKey(keys.next(at: records.wallMilliseconds))
    }

    /// Returns false if the record lacks a value, or if an entry's claim is not its key alone. The memory of `key` and
    /// `value` is used.
    fileprivate func append(
        entriesOf record: RecordAddress, _ primary: [UInt8], _ schema: OpenSchema, to found: inout [NewEntries],
        _ key: inout IndexKey, _ value: inout [UInt8]
    ) -> Bool {
        guard hasValues(record) else { return false }
        for position in schema.indexes.indices {
            let claim = schema.indexes[position].layout.replace(&key, &value, byEntryOf: record, primary)
            switch claim {
            case .none: break
            case .key: found[position].claims.append(key.bytes)
            case .range: return false
            }
            found[position].keys.append(key.bytes)
            found[position].values.append(value)
        }
        return true
    }

    private func hasValues(_ record: RecordAddress) -> Bool {
        do throws(StorageError) {
            try requireValues(record)
            return true
        } catch {
            // Inserting the record alone throws the error, after those of the records before it.
            return false
        }
    }
}
