import Shale
import ShaleBase

/// The entries of new records, made before anything is read.
private struct NewEntries {
    /// For each record one entry for each index, in the order of the schema.
    var entries: [IndexEntry] = []
    /// The keys of the entries that exclude others, by the positions of their indexes.
    var claims: [[[UInt8]]]
}

/// Insertions of many records in one step.
extension CollectionCore {
    /// Inserts records whose keys and unique values are all new. Returns false, with nothing written, if one of them
    /// breaks a constraint or may do so: inserting them one by one then finds which, or that none does.
    ///
    /// 1. All keys and claims are read before the first write, in groups. If the transaction reads one twice, two of
    ///    the records have it.
    /// 2. They count as read, as those of single insertions do, so a writer that takes one of them conflicts.
    /// 3. The transaction reads nothing between its writes, and so notes none of them.
    func insertNew(
        _ new: [(record: Record, key: RecordKey)], _ options: ValueOptions, _ schema: OpenSchema,
        in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Bool {
        guard new.count > 1, base.exposure(of: options, schema) == nil, let entries = newEntries(new, schema) else {
            return false
        }
        if layout.key != nil {
            guard try transaction.areNew(new.map(\.key.bytes), in: records) else { return false }
        }
        for (position, index) in schema.indexes.enumerated() where !entries.claims[position].isEmpty {
            guard try transaction.areNew(entries.claims[position], in: index.namespace) else { return false }
        }
        let entryOptions = options.unencrypted
        var next = 0
        for (record, key) in new {
            for index in schema.indexes {
                let entry = entries.entries[next]
                next += 1
                try transaction.setBytes(
                    entry.value, forKey: entry.key, in: index.namespace, options: entryOptions)
            }
            try transaction.setDocument(record, forKey: key.bytes, in: records, using: codec, options: options)
            try journal?.note(key, replacing: nil, isDeleted: false, in: transaction)
        }
        return true
    }

    /// Returns `nil` if a record lacks a value, or if an entry's claim is not its key alone.
    private func newEntries(
        _ new: [(record: Record, key: RecordKey)], _ schema: OpenSchema
    ) -> NewEntries? {
        var found = NewEntries(claims: Array(repeating: [], count: schema.indexes.count))
        found.entries.reserveCapacity(new.count * schema.indexes.count)
        for (record, key) in new {
            let isUsual = RecordAddress.with(of: record) { (record) in
                base.append(entriesOf: record, key.bytes, schema, to: &found)
            }
            guard isUsual else { return nil }
        }
        return found
    }
}

extension CollectionBase {
    /// Returns false if the record lacks a value, or if an entry's claim is not its key alone.
    fileprivate func append(
        entriesOf record: RecordAddress, _ primary: [UInt8], _ schema: OpenSchema, to found: inout NewEntries
    ) -> Bool {
        guard hasValues(record) else { return false }
        for (position, index) in schema.indexes.enumerated() {
            let entry = index.layout.entry(of: record, primary)
            switch entry.claim {
            case .none: break
            case .key: found.claims[position].append(entry.key)
            case .range: return false
            }
            found.entries.append(entry)
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
