public import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// The progress of a manual compaction.
public struct CompactionProgress: Sendable, Hashable {
    /// The number of stored bytes read so far.
    public let readBytes: UInt64
    /// An upper bound on the stored bytes that will be read.
    public let totalBytes: UInt64

    public var fraction: Double { totalBytes == 0 ? 1 : min(1, Double(readBytes) / Double(totalBytes)) }
}

extension Engine {
    /// Rewrites the tree, or its part in `scope`, into its last level.
    ///
    /// Afterwards no dead entry remains unless a snapshot needs it, and everything has the last level's compression.
    /// Blocks that need no change are copied as they are, and segments that need none are not rewritten. On return all
    /// this is durable and in effect. Replaced files are deleted in the background, or by ``close()``; until then
    /// ``Engine/Statistics/heldBytes`` counts them.
    ///
    /// The compaction uses ``Engine/Options/manualCompactionThreads`` threads. It calls `progress` on the caller's
    /// thread, after about every MiB and while other threads work. `progress` may throw to cancel: finished steps stay,
    /// nothing is lost, the next call continues after them, and the caller gets the error of `progress`. It may read
    /// and write. If it closes or compacts the store, it gets `.invalidArgument`.
    @discardableResult
    public func compact(
        _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
        progress: @escaping (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CompactionReport {
        try compact(scope, options, progress) { $0 }
    }

    /// Does the same for a `progress` that throws errors of any type.
    @discardableResult
    public func compact(
        _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
        progress: @escaping (CompactionProgress) throws -> Void
    ) throws -> CompactionReport {
        try compact(scope, options, progress) { $0 }
    }

    private func compact<Failure: Error>(
        _ scope: CompactionScope, _ options: ManualCompactionOptions,
        _ progress: @escaping (CompactionProgress) throws(Failure) -> Void, _ failure: (StorageError) -> Failure
    ) throws(Failure) -> CompactionReport {
        try CallerError.relay(progress, failure) { (progress) throws(StorageError) in
            try core.compact(scope, options, progress)
        }
    }

    /// Frees the disk space of erased and expired entries.
    ///
    /// Fully dead segments are deleted without being read. Others are rewritten without their dead blocks; fully live
    /// blocks are copied as stored. On return the replaced files are deleted, except those that snapshots and cursors
    /// hold. On a full disk a segment stays as it is while there is no space to rewrite it.
    ///
    /// Snapshots and cursors keep the entries that they see. `progress` works as in ``compact(_:options:progress:)``.
    @discardableResult
    public func reclaim(
        progress: @escaping (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CompactionReport {
        try reclaim(progress) { $0 }
    }

    /// Does the same for a `progress` that throws errors of any type.
    @discardableResult
    public func reclaim(progress: @escaping (CompactionProgress) throws -> Void) throws -> CompactionReport {
        try reclaim(progress) { $0 }
    }

    private func reclaim<Failure: Error>(
        _ progress: @escaping (CompactionProgress) throws(Failure) -> Void, _ failure: (StorageError) -> Failure
    ) throws(Failure) -> CompactionReport {
        try CallerError.relay(progress, failure) { (progress) throws(StorageError) in try core.reclaim(progress) }
    }

    /// Reads every live byte of the segments and checks checksums, order, counts and filters.
    ///
    /// Damage, a missing file or a file of a later version does not end the verification. The report lists these
    /// problems in the order of levels and keys.
    ///
    /// - Parameters:
    ///   - threads: The number of threads, including the caller's, up to 64; `nil` for the number of processors. Each
    ///     takes some MiB of memory. The result does not depend on it.
    ///   - progress: Receives the number of bytes read so far, about every MiB, on the calling thread. It may throw to
    ///     cancel.
    public func verify(
        threads: Int? = nil, progress: @escaping (UInt64) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> VerificationReport {
        try verify(threads, progress) { $0 }
    }

    /// Does the same for a `progress` that throws errors of any type.
    public func verify(
        threads: Int? = nil, progress: @escaping (UInt64) throws -> Void
    ) throws -> VerificationReport {
        try verify(threads, progress) { $0 }
    }

    private func verify<Failure: Error>(
        _ threads: Int?, _ progress: @escaping (UInt64) throws(Failure) -> Void, _ failure: (StorageError) -> Failure
    ) throws(Failure) -> VerificationReport {
        try CallerError.relay(progress, failure) { (progress) throws(StorageError) in
            try core.verify(threads: threads, progress)
        }
    }

    /// Deletes the files that ``compact(_:options:progress:)`` has replaced, or waits for the thread that does. Files
    /// that readers hold stay.
    package func deleteReplacedFiles() throws(StorageError) { try core.obsoleteFiles.collectAll() }

    /// The disk space of the store's files in bytes, as `du` counts it.
    ///
    /// - Complexity: O(files).
    package var allocatedBytes: UInt64 {
        get throws(StorageError) { try core.directories.allocatedBytes() }
    }

    /// The free space of the store's file system in bytes.
    package var freeBytes: UInt64 {
        get throws(StorageError) {
            do throws(IOFailure) { return try core.directories.root.freeBytes() } catch { throw error.storageError }
        }
    }

    /// Copies the store into the directory `path`, which must be missing or empty.
    ///
    /// Segments are hard-linked, so the cost is a flush and O(files). The copy is an independent store and durable on
    /// return. It equals the store at one moment during the call, and contains every batch and control operation that
    /// returned before the call. Of concurrent changes it contains a prefix.
    ///
    /// A read-only engine copies the state that it shows, beside the owner of the store and without its help. Entries
    /// that are only in logs are written into segments of the copy.
    public func checkpoint(at path: String) throws(StorageError) { try core.checkpoint(at: path) }
}

/// The result of a verification.
public struct VerificationReport: Sendable {
    public internal(set) var files = 0
    public internal(set) var bytes: UInt64 = 0
    public internal(set) var entries: UInt64 = 0
    /// One error for each file that is damaged, missing or of a later version.
    ///
    /// It names the file and the first damaged position.
    public internal(set) var problems: [StorageError] = []
}

/// The result of a manual compaction.
public struct CompactionReport: Sendable, Hashable {
    public internal(set) var readBytes: UInt64 = 0
    public internal(set) var writtenBytes: UInt64 = 0
    /// The bytes of replaced segments minus the bytes of new ones. Negative if the tree grew.
    public internal(set) var returnedBytes: Int64 = 0
    /// The number of versions that a newer one hid.
    public internal(set) var shadowedEntries: UInt64 = 0
    /// The number of versions that were purged, truncated, dropped or expired.
    public internal(set) var erasedEntries: UInt64 = 0
    public internal(set) var removedTombstones: UInt64 = 0
    /// The number of blocks copied without recompression.
    public internal(set) var copiedBlocks: UInt64 = 0
    /// The number of blocks skipped without being read.
    public internal(set) var skippedBlocks: UInt64 = 0
}
