public import Shale
import ShaleBase

extension StoredCollection {
    /// Compares all records with all ready indexes, at one moment. See ``RecordCollection/verify()``.
    public func verify() throws(StorageError) -> CollectionVerification { try base.verify() }

    /// Removes entries of records that were removed without them. See ``RecordCollection/removeStaleEntries()``.
    @discardableResult
    public func removeStaleEntries() throws(StorageError) -> Int { try base.removeStaleEntries() }

    /// Builds indexes again, beside writers, and then drops the old ones. See
    /// ``RecordCollection/rebuildIndexes(_:progress:)``.
    ///
    /// Records whose documents can't be decoded at all are left out, as they are when the application rebuilds. The
    /// values of fields come from the documents. If a field's type encodes another value than it compares by, let the
    /// application rebuild: here that can't be seen.
    ///
    /// - Throws: `.schemaMismatch`, with nothing changed, if only the Swift type can read some records: those of an
    ///   earlier version, and those whose fields are not in their documents. Otherwise as
    ///   ``RecordCollection/rebuildIndexes(_:progress:)``.
    @discardableResult
    public func rebuildIndexes(
        _ names: [String]? = nil, progress: (CollectionMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CollectionMigrationReport {
        try base.core.requireReadableWithoutType()
        return try base.rebuildIndexes(names, progress: progress)
    }
}

extension CollectionCore where Record == StoredRecord {
    /// Throws unless the documents of all records that can be decoded say what the values of their fields are. An index
    /// that is built without them would hide records from the application.
    fileprivate func requireReadableWithoutType() throws(StorageError) {
        let moment = try records.snapshot()
        guard let schema = try base.schema(at: moment) else { return }
        guard !schema.stored.isMigrating else {
            throw .schema("there are records of earlier versions, which only their Swift type can read", name)
        }
        let cursor = moment[records].entries.cursor()
        while let entry = try cursor.next() {
            do throws(StorageError) {
                _ = try entry.value(using: codec)
            } catch {
                guard RecordFailure.isOfRecord(error) else { throw error }
                guard error.cause is UntypedField else { continue }
                throw .schema("only the Swift type of the records can read them: \(error.message)", name)
            }
        }
    }
}
