import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keys of new records.
extension CollectionCore {
    func newKey(of record: Record) throws(StorageError) -> RecordKey {
        guard layout.key == nil else { return try fieldKey(of: record) }
        return try RecordKey(keys.next(at: records.wallMilliseconds))
    }

    func fieldKey(of record: Record) throws(StorageError) -> RecordKey {
        guard let key = layout.key else {
            throw .invalid("the keys of the collection are generated collection=\(name)")
        }
        return RecordKey(bytes: try IndexKey.primary(layout.fields[key].element(record)))
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
        _ record: Record, _ key: RecordKey, _ options: ValueOptions, _ known: OpenSchema<Record>? = nil,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> RecordKey {
        let schema = if let known { known } else { try writableSchema(in: transaction) }
        if layout.key != nil, try transaction.hasKey(key.bytes, in: records) {
            throw .violation(.keyExists, layout.key.map { layout.fields[$0].name } ?? "", in: name)
        }
        let options = try records.resolved(options)
        try requireValues(record)
        try write(record, key.bytes, replacing: nil, options, keepsOptions: false, schema, transaction)
        return key
    }

    func put(
        _ record: Record, _ key: RecordKey, _ options: ValueOptions, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let schema = try writableSchema(in: transaction)
        let exists = try transaction.hasKey(key.bytes, in: records)
        let old = exists ? try readable(key.bytes, in: transaction) : nil
        try requireValues(record)
        try write(
            record, key.bytes, replacing: old, try records.resolved(options), keepsOptions: false, schema, transaction)
        return exists
    }

    func modify(
        _ key: RecordKey, in transaction: borrowing Store.Transaction,
        _ change: (inout Record) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        let schema = try writableSchema(in: transaction)
        guard let old = try record(key.bytes, at: transaction),
            let info = try transaction[records].info(forKey: key.bytes)
        else { return false }
        var new = old
        try change(&new)
        try requireKey(key, of: new)
        try requireValues(new)
        try write(new, key.bytes, replacing: old, info.options, keepsOptions: true, schema, transaction)
        return true
    }

    func delete(
        _ key: RecordKey, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        let schema = try writableSchema(in: transaction)
        guard try transaction.hasKey(key.bytes, in: records) else { return false }
        if let old = try readable(key.bytes, in: transaction) {
            for index in schema.indexes {
                try remove(index.layout.entry(of: old, key.bytes), index, transaction)
            }
        }
        try transaction.removeKey(key.bytes, in: records)
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

    private func requireValues(_ record: Record) throws(StorageError) {
        for field in layout.checkedFields {
            let element = field.element(record)
            if case .date(let date) = element, date.timeIntervalSinceReferenceDate.isNaN {
                throw .invalid("a date is not a number field=\(field.name)")
            }
            guard field.constraint.isRequired, element == .null else { continue }
            throw .violation(.isNull, field.name, in: name)
        }
    }
}

extension CollectionCore {
    /// Writes a record and its index entries. `keepsOptions` tells that `options` are those of the replaced record, so
    /// that entries which stay equal are not written again.
    private func write(
        _ record: Record, _ primary: [UInt8], replacing old: Record?, _ options: ValueOptions, keepsOptions: Bool,
        _ schema: OpenSchema<Record>, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        if let exposure = exposure(of: options, schema) { throw exposure }
        let entryOptions = options.unencrypted
        for index in schema.indexes {
            let entry = index.layout.entry(of: record, primary)
            if let old {
                let before = index.layout.entry(of: old, primary)
                // An index that is being built may lack the entry of the old record.
                if keepsOptions, index.isReady, before == entry { continue }
                if before.key != entry.key { try remove(before, index, transaction) }
            }
            try requireUnclaimed(entry, of: record, index, transaction)
            try transaction.setBytes(entry.value, forKey: entry.key, in: index.namespace, options: entryOptions)
        }
        try transaction.setDocument(record, forKey: primary, in: records, using: codec, options: options)
    }

    /// Removes an entry of a record, unless another record has it: a stale claim may have been overwritten.
    private func remove(
        _ entry: IndexEntry, _ index: OpenIndex<Record>, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        if entry.claim == .key {
            let stored = try transaction.storedBytes(entry.key, in: index.namespace)
            guard stored == entry.value else { return }
        }
        try transaction.removeKey(entry.key, in: index.namespace)
    }

    /// Throws a violation if another record has the columns of a unique entry.
    func requireUnclaimed(
        _ entry: IndexEntry, of record: Record, _ index: OpenIndex<Record>,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        switch entry.claim {
        case .none: return
        case .key:
            let stored = try transaction.storedBytes(entry.key, in: index.namespace)
            guard let stored, stored != entry.value else { return }
            try requireStale(entry.key, stored, record, index, transaction)
        case .range:
            for found in try transaction[index.namespace].entries(prefix: entry.columns).array()
            where found.key.bytes != entry.key {
                try requireStale(found.key.bytes, try found.value(as: [UInt8].self), record, index, transaction)
            }
        }
    }

    /// Throws a violation unless the record that an entry names is missing or has other values. A record that does not
    /// decode keeps its claim.
    private func requireStale(
        _ key: [UInt8], _ value: [UInt8], _ new: Record, _ index: OpenIndex<Record>,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let holder = try IndexEntryValue(value, key: key, invertsPrimary: index.layout.invertsPrimary).primary
        let record: Record?
        do throws(StorageError) {
            record = try self.record(holder, at: transaction)
        } catch {
            guard RecordFailure.isOfRecord(error) else { throw error }
            throw .violation(.notUnique, index.name, in: name)
        }
        // Equal hashes don't mean equal values, so the values themselves are compared.
        guard let record, index.layout.hasEqualColumns(record, new) else { return }
        throw .violation(.notUnique, index.name, in: name)
    }
}
