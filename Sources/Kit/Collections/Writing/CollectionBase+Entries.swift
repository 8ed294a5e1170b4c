import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A change of the index entries of one record.
struct EntryChange {
    let primary: [UInt8]
    /// The options of the record.
    let options: ValueOptions
    /// True if `options` are those of the replaced record, so that entries which stay equal are not written again.
    let keepsOptions: Bool
    let schema: OpenSchema
}

/// Index entries as parts of a transaction: see ``CollectionCore``.
extension CollectionBase {
    func fieldKey(of record: RecordAddress) throws(StorageError) -> RecordKey {
        guard let key = layout.key else {
            throw .invalid("the keys of the collection are generated collection=\(name)")
        }
        return RecordKey(bytes: try IndexKey.primary(layout.fields[key].element(record)))
    }

    /// Throws a violation if a record with the key of a field exists. Returns the resolved options.
    func begin(
        inserting key: RecordKey, _ options: ValueOptions, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) -> ValueOptions {
        if let field = layout.key, try transaction.hasKey(key.bytes, in: records) {
            throw .violation(.keyExists, layout.fields[field].name, in: name)
        }
        return try records.resolved(options)
    }

    func requireValues(_ record: RecordAddress) throws(StorageError) {
        for field in layout.checkedFields {
            let element = field.element(record)
            if case .date(let date) = element, date.timeIntervalSinceReferenceDate.isNaN {
                throw .invalid("a date is not a number field=\(field.name)")
            }
            guard field.constraint.isRequired, case .null = element else { continue }
            throw .violation(.isNull, field.name, in: name)
        }
    }

    /// Writes the index entries of a record, and removes those of the record that it replaces.
    func writeEntries(
        of record: RecordAddress, replacing old: RecordAddress?, _ change: EntryChange,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        if let exposure = exposure(of: change.options, change.schema) { throw exposure }
        let options = change.options.unencrypted
        for index in change.schema.writingOrder {
            // Equal values have equal entries. An index that is being built may lack the entry of the old record.
            if let old, change.keepsOptions, index.isReady, index.layout.hasEqualColumns(old, record) { continue }
            let entry = index.layout.entry(of: record, change.primary)
            if let old {
                let before = index.layout.entry(of: old, change.primary)
                if before.key != entry.key { try remove(before, index, transaction) }
            }
            try requireUnclaimed(entry, of: record, index, transaction)
            try transaction.setBytes(entry.value, forKey: entry.key, in: index.namespace, options: options)
        }
    }

    func removeEntries(
        of record: RecordAddress, _ primary: [UInt8], _ schema: OpenSchema, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        for index in schema.writingOrder { try remove(index.layout.entry(of: record, primary), index, transaction) }
    }

    /// Removes an entry of a record, unless another record has it: a stale claim may have been overwritten.
    private func remove(
        _ entry: IndexEntry, _ index: OpenIndex, _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        if entry.claim == .key {
            let stored = try transaction.storedBytes(entry.key, in: index.namespace)
            guard stored == entry.value else { return }
        }
        try transaction.removeKey(entry.key, in: index.namespace)
    }

    /// Throws a violation if another record has the columns of a unique entry.
    func requireUnclaimed(
        _ entry: IndexEntry, of record: RecordAddress, _ index: OpenIndex, _ transaction: borrowing Store.Transaction
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
        _ key: [UInt8], _ value: [UInt8], _ new: RecordAddress, _ index: OpenIndex,
        _ transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        let holder = try IndexEntryValue(value, key: key, invertsPrimary: index.layout.invertsPrimary).primary
        let isEqual: Bool?
        do throws(StorageError) {
            // Equal hashes don't mean equal values, so the values themselves are compared.
            isEqual = try withRecord(holder, at: transaction) { index.layout.hasEqualColumns($0, new) }
        } catch {
            guard RecordFailure.isOfRecord(error) else { throw error }
            throw .violation(.notUnique, index.name, in: name)
        }
        if isEqual == true { throw .violation(.notUnique, index.name, in: name) }
    }
}
