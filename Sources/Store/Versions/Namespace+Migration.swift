public import ShaleBase
import ShalePlatform

/// Passes that make migrations permanent.
extension Store.Namespace {
    /// Stores every value of a range that has an earlier version of `codec` again in the current version.
    ///
    /// ```swift
    /// let report = try tracks.migrateValues(in: KeyRange.all, using: Track.codec) { print($0.fraction) }
    /// ```
    /// Reads and writes continue meanwhile, and reads give the same values before, during and after the pass. The
    /// entries keep purgeability, expiry, encryption with its cipher, and time of writing. Observers are notified of
    /// each rewritten key.
    ///
    /// The pass reads pages of at most 256 entries and about 64 KiB, and commits the new values in atomic steps of
    /// about 64 KiB. A step writes an entry only if its stored bytes are still those that were migrated, so no newer
    /// write is lost. Nothing but the values records how far the pass is. If `progress` throws, or the process is
    /// killed at any point, finished steps stay, and the next call migrates the rest. A repeated call writes nothing.
    ///
    /// A value that can't be decoded or migrated stays as it is and is counted in the report. Select keys whose values
    /// all have the type of `codec`: a plain value of another type that happens to decode as version 1 is migrated
    /// too.
    ///
    /// The calling thread does the work and runs the migrations, while it holds no lock and pins no memory. `progress`
    /// is called after each page and may throw to stop the pass.
    ///
    /// - Throws: The errors of scanning, of setting and of `progress`. `.readOnly` if the store was opened for reading
    ///   only. A ``StorageError`` of a migration with another code than those of values, such as `.cancelled`.
    /// - Complexity: O(entries in the range). Unless they are encrypted, current values are not copied.
    @discardableResult
    public func migrateValues<Value>(
        in range: some KeyInterval, using codec: VersionedCodec<Value>,
        progress: @escaping (ValueMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> ValueMigrationReport {
        try CallerError.relay(progress, { $0 }, through: ValueMigration(state, try range.keyRange, codec).run)
    }

    /// Does the same for a `progress` that throws errors of any type. Its error reaches the caller unchanged.
    @discardableResult
    public func migrateValues<Value>(
        in range: some KeyInterval, using codec: VersionedCodec<Value>,
        progress: @escaping (ValueMigrationProgress) throws -> Void
    ) throws -> ValueMigrationReport {
        try CallerError.relay(progress, { $0 }, through: ValueMigration(state, try range.keyRange, codec).run)
    }

    /// Does the same on a separate thread. Cancelling the task stops the pass with `.cancelled` after the current page.
    @discardableResult
    public nonisolated(nonsending) func migrateValues<Value>(
        in range: some KeyInterval, using codec: VersionedCodec<Value>,
        progress: @escaping @Sendable (ValueMigrationProgress) -> Void = { _ in }
    ) async throws(StorageError) -> ValueMigrationReport {
        let migration = ValueMigration(state, try range.keyRange, codec)
        return try await BlockingWork.run(reportingTo: progress) { (report) throws(StorageError) in
            try migration.run(report)
        }
    }

    /// Migrates the values of all keys that start with `prefix`, as ``migrateValues(in:using:progress:)`` does for a
    /// range.
    @discardableResult
    public func migrateValues<Value>(
        prefix: some StoreKey, using codec: VersionedCodec<Value>,
        progress: @escaping (ValueMigrationProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> ValueMigrationReport {
        try migrateValues(in: PrefixInterval(prefix), using: codec, progress: progress)
    }

    /// Does the same for a `progress` that throws errors of any type. Its error reaches the caller unchanged.
    @discardableResult
    public func migrateValues<Value>(
        prefix: some StoreKey, using codec: VersionedCodec<Value>,
        progress: @escaping (ValueMigrationProgress) throws -> Void
    ) throws -> ValueMigrationReport {
        try migrateValues(in: PrefixInterval(prefix), using: codec, progress: progress)
    }

    /// Does the same on a separate thread. Cancelling the task stops the pass with `.cancelled` after the current page.
    @discardableResult
    public nonisolated(nonsending) func migrateValues<Value>(
        prefix: some StoreKey, using codec: VersionedCodec<Value>,
        progress: @escaping @Sendable (ValueMigrationProgress) -> Void = { _ in }
    ) async throws(StorageError) -> ValueMigrationReport {
        try await migrateValues(in: KeyRange.prefix(try prefix.keyBytes), using: codec, progress: progress)
    }
}

/// The progress of a pass that migrates values.
public struct ValueMigrationProgress: Sendable, Hashable {
    /// The number of entries examined, of any version.
    public let examined: Int
    /// The number of values stored in the current version so far.
    public let migrated: Int
    /// The estimated fraction of the work that is done, 0 … 1. Never falls.
    public let fraction: Double
}

/// The result of a pass that migrates values.
public struct ValueMigrationReport: Sendable {
    /// The number of entries examined, of any version.
    public internal(set) var examined = 0
    /// The number of values stored in the current version by this pass.
    public internal(set) var migrated = 0
    /// The number of values that another writer changed or removed during the pass. The pass left them as written.
    public internal(set) var changed = 0
    /// The number of values with a newer version than the codec's. They stay as they are.
    public internal(set) var newer = 0
    /// The number of values that can't be decrypted, decoded or migrated. They stay as they are.
    public internal(set) var failed = 0
    /// The error of the first value that is counted in ``failed``.
    public internal(set) var firstFailure: StorageError?

    /// True if every value of the range had the current version, or has it now. If only ``changed`` prevents this,
    /// another pass can finish.
    public var isComplete: Bool { changed == 0 && newer == 0 && failed == 0 }
}
