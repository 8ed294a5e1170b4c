public import Shale
import ShaleBase
import ShalePlatform

/// The progress of a migration.
public struct CollectionMigrationProgress: Sendable, Hashable {
    /// The number of records examined, including those of an earlier call that was interrupted.
    public let examined: Int
    /// The estimated fraction of the work that is done, 0 … 1.
    public let fraction: Double
}

/// The result of a migration.
public struct CollectionMigrationReport: Sendable {
    /// The number of records that this call examined.
    public internal(set) var examined = 0
    /// The number of records that this call stored in the current version.
    public internal(set) var migrated = 0
    /// The records that can't be read. They stay as they are, and no index has them. At most 100.
    ///
    /// A pass that only builds indexes reads the indexed fields alone. A record whose other properties don't decode is
    /// in the indexes, and not here.
    public internal(set) var failures: [RecordFailure] = []
}

extension RecordCollection {
    /// Makes a changed schema complete: stores records of earlier versions in the current one, and builds indexes that
    /// were added.
    ///
    /// ```swift
    /// let people = try store.common.collection(Person.schema, onDifference: .adopt)
    /// if try people.needsMigration { try people.migrate { print($0.fraction) } }
    /// ```
    /// Reads and writes continue meanwhile. The pass works in atomic steps of 128 records, later of up to 4096, or of
    /// about 16 MiB, and stores its position with each. A step that conflicts with a writer runs again with half as
    /// many records. If `progress` throws, or the process is killed at any point, the next call continues at the
    /// position.
    ///
    /// - Throws: `.constraintViolated` if two records agree in a unique index that is built. The collection stays as it
    ///   was; change one of them, and call again. The errors of reads, transactions and `progress`.
    /// - Complexity: O(records).
    @discardableResult
    public func migrate(
        progress: (CollectionMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CollectionMigrationReport {
        try CollectionMigration(core).run(progress)
    }

    /// Does the same on a separate thread. Cancelling the task stops with `.cancelled` after the current step.
    @discardableResult
    public nonisolated(nonsending) func migrate(
        progress: @escaping @Sendable (CollectionMigrationProgress) -> Void = { _ in }
    ) async throws(StorageError) -> CollectionMigrationReport {
        let core = core
        return try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try CollectionMigration(core).run(report)
        }
    }

    /// Drops indexes and builds them again, beside readers and writers. Until it has finished, queries read records
    /// instead. Continues with ``migrate(progress:)`` if it is interrupted.
    ///
    /// For a collection whose ``verify()`` is not sound: after a repair of a damaged store, or after writes to the
    /// namespaces below the collection's.
    ///
    /// - Parameters:
    ///   - names: The indexes, such as ``CollectionVerification/unsoundIndexes``; `nil` means all.
    ///   - progress: Called after each step, as in ``migrate(progress:)``.
    /// - Throws: `.invalidArgument` for a name that is no index; the errors of ``migrate(progress:)``.
    @discardableResult
    public func rebuildIndexes(
        _ names: [String]? = nil, progress: (CollectionMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CollectionMigrationReport {
        let core = core
        try core.records.transaction { (transaction) throws(StorageError) in
            var stored = try core.base.writableSchema(in: transaction).stored
            let hidesValues = try core.base.hidesValues
            for name in names ?? [] where !stored.indexes.contains(where: { $0.name == name }) {
                throw .invalid("the collection has no index of this name index=\(name)")
            }
            for position in stored.indexes.indices where names?.contains(stored.indexes[position].name) ?? true {
                stored.indexes[position].id = stored.nextIndex
                stored.indexes[position].isReady = false
                stored.indexes[position].isPartial = nil
                if hidesValues { stored.indexes[position].isKeyed = true }
                stored.nextIndex += 1
            }
            try core.base.store(stored, in: transaction)
        }
        try core.base.removeOrphans()
        return try migrate(progress: progress)
    }
}
