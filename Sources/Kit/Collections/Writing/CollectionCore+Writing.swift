import Shale
import ShaleBase

/// Keys of new records.
extension CollectionCore {
    func newKey(of record: Record) throws(StorageError) -> RecordKey {
        try RecordAddress.with(of: record) { (record) throws(StorageError) in try base.newKey(of: record) }
    }

    func fieldKey(of record: Record) throws(StorageError) -> RecordKey {
        try RecordAddress.with(of: record) { (record) throws(StorageError) in try base.fieldKey(of: record) }
    }

    func requireKey(_ key: RecordKey, of record: Record) throws(StorageError) {
        guard let field = layout.key, try fieldKey(of: record) != key else { return }
        throw .invalid("the record has another primary key field=\(layout.fields[field].name)")
    }
}

/// Changes as parts of a transaction.
///
/// 1. The transaction reads the generation of the schema, every claim of a unique value, and the old record. If any of
///    them changes before the commit, the commit conflicts and the step runs again.
/// 2. It writes the record and its index entries in one batch with the same purgeability and the same time of expiry.
///    So at every read point a record that is present has its entries, whatever erases or expires them.
/// 3. A claim that names a record without that value is stale, because something removed the record without its
///    entries. It is overwritten.
/// 4. In each round at least one of several competing steps commits, and steps run again without limit. So two
///    writers of one unique value end as one success and one violation.
extension CollectionCore {
    @discardableResult
    func insert(
        _ record: Record, _ key: RecordKey, _ options: ValueOptions, _ known: OpenSchema? = nil,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> RecordKey {
        let schema = if let known { known } else { try base.writableSchema(in: transaction) }
        let options = try base.begin(inserting: key, options, transaction)
        try write(record, key.bytes, replacing: nil, options, keepsOptions: false, schema, transaction)
        return key
    }

    func put(
        _ record: Record, _ key: RecordKey, _ options: ValueOptions, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let schema = try base.writableSchema(in: transaction)
        let exists = try transaction.hasKey(key.bytes, in: records)
        let old = exists ? try readable(key.bytes, in: transaction) : nil
        try write(
            record, key.bytes, replacing: old, try records.resolved(options), keepsOptions: false, schema, transaction)
        return exists
    }

    func modify(
        _ key: RecordKey, in transaction: borrowing Store.Transaction,
        _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let schema = try base.writableSchema(in: transaction)
        guard let found = try transaction[records].source.documentWithInfo(forKey: key.bytes) else { return false }
        let old = try coder.decode(found.document)
        var new = old
        try change(&new)
        try requireKey(key, of: new)
        try write(
            new, key.bytes, replacing: old, found.info.options, keepsOptions: true, schema, transaction)
        return true
    }

    func delete(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let schema = try base.writableSchema(in: transaction)
        guard try transaction.hasKey(key.bytes, in: records) else { return false }
        let old = try readable(key.bytes, in: transaction)
        if let old {
            try RecordAddress.with(of: old) { (old) throws(StorageError) in
                try base.removeEntries(of: old, key.bytes, schema, transaction)
            }
        }
        try transaction.removeKey(key.bytes, in: records)
        try journal?.note(key, replacing: old, isDeleted: true, in: transaction)
        return true
    }

    /// Returns a record to replace or to delete; `nil` if it no longer decodes. Its index entries then stay and are
    /// stale.
    private func readable(
        _ primary: [UInt8], in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Record? {
        do throws(StorageError) {
            return try record(primary, at: transaction)
        } catch {
            guard RecordFailure.isOfRecord(error) else { throw error }
            try records.noteSingleRemovals()
            return nil
        }
    }

    /// Checks a record, and writes it with its index entries. `keepsOptions` tells that `options` are those of the
    /// replaced record.
    private func write(
        _ record: Record, _ primary: [UInt8], replacing old: Record?, _ options: ValueOptions, keepsOptions: Bool,
        _ schema: OpenSchema, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try RecordAddress.with(of: record) { (new) throws(StorageError) in
            try base.requireValues(new)
            let change = EntryChange(primary: primary, options: options, keepsOptions: keepsOptions, schema: schema)
            guard let old else { return try base.writeEntries(of: new, replacing: nil, change, transaction) }
            try RecordAddress.with(of: old) { (old) throws(StorageError) in
                try base.writeEntries(of: new, replacing: old, change, transaction)
            }
        }
        let session = coder.takeSession()
        defer { coder.keep(session) }
        try transaction.setDocument(record, forKey: primary, in: records, using: codec, options: options, session)
        try journal?.note(RecordKey(bytes: primary), replacing: old, isDeleted: false, in: transaction)
    }
}
