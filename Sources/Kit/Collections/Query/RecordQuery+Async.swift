public import Shale
import ShaleBase
import ShalePlatform

/// The same for `async` callers. The work runs on threads of the library, and blocks no thread of the task pool. A call
/// whose task is cancelled before it starts throws `.cancelled` and does nothing.
extension RecordQuery {
    /// Returns the records. See ``records()``.
    public nonisolated(nonsending) func records() async throws(StorageError) -> [Record] {
        try await BlockingWork.run { (_) throws(StorageError) in try self.records() }
    }

    /// Returns the first record; `nil` if there is none.
    public nonisolated(nonsending) func first() async throws(StorageError) -> Record? {
        try await BlockingWork.run { (_) throws(StorageError) in
            try self.first()
        }
    }

    /// Returns the records with their keys, and the place to continue at. See ``page()``.
    public nonisolated(nonsending) func page() async throws(StorageError) -> RecordPage<Record> {
        try await BlockingWork.run { (_) throws(StorageError) in try self.page() }
    }

    /// Returns the number of records, at most the limit. See ``count()``.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try await BlockingWork.run { (_) throws(StorageError) in try self.count() }
    }

    /// Changes the records in one atomic step. See ``modify(durability:_:)``.
    @discardableResult
    public nonisolated(nonsending) func modify(
        durability: Durability? = nil, _ change: @escaping @Sendable (inout Record) throws(StorageError) -> Void
    ) async throws(StorageError) -> Int {
        try await BlockingWork.run { (_) throws(StorageError) in try self.modify(durability: durability, change) }
    }

    /// Sets the fields of the records to those values of `changes` that are not nil. See ``modify(to:durability:)``.
    @discardableResult
    public nonisolated(nonsending) func modify(
        to changes: Record, durability: Durability? = nil
    ) async throws(StorageError) -> Int {
        try await BlockingWork.run { (_) throws(StorageError) in
            try self.modify(to: changes, durability: durability)
        }
    }

    /// Deletes the records in one atomic step. See ``delete(durability:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(durability: Durability? = nil) async throws(StorageError) -> Int {
        try await BlockingWork.run { (_) throws(StorageError) in try self.delete(durability: durability) }
    }
}

extension RecordCollection {
    /// Inserts records in one atomic step. See ``insert(contentsOf:options:durability:)``.
    @discardableResult
    public nonisolated(nonsending) func insert(
        contentsOf records: some Sequence<Record> & Sendable, options: ValueOptions = [],
        durability: Durability? = nil
    ) async throws(StorageError) -> [RecordKey] {
        try await BlockingWork.run { (_) throws(StorageError) in
            try self.insert(contentsOf: records, options: options, durability: durability)
        }
    }

    /// Inserts a record, for a caller that must not wait for a disk. See ``insert(_:options:durability:)``.
    @discardableResult
    public nonisolated(nonsending) func insert(
        _ record: Record, options: ValueOptions = [], durability: Durability? = nil
    ) async throws(StorageError) -> RecordKey {
        try await BlockingWork.run { (_) throws(StorageError) in
            try self.insert(record, options: options, durability: durability)
        }
    }
}
