public import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// How far a manual compaction has come.
public struct CompactionProgress: Sendable, Hashable {
    /// Stored bytes read so far, and how many there are to read at most.
    public let readBytes: UInt64
    public let totalBytes: UInt64

    public var fraction: Double { totalBytes == 0 ? 1 : min(1, Double(readBytes) / Double(totalBytes)) }
}

extension Engine {
    /// Rewrites the tree, or what of it `scope` names, into its last level: no dead entry stays that no snapshot needs, and everything has the
    /// last level's compression. Blocks that need no change are copied as they are, and segments that need none are left
    /// alone. On return all that is durable and in effect. The files that were replaced are deleted in the background, or by
    /// ``close()``; meanwhile ``EngineStatistics/heldBytes`` counts them.
    ///
    /// Uses ``EngineOptions/manualCompactionThreads`` threads. `progress` is called on the caller's, about every MiB and
    /// now and then while others work; it may throw to cancel: finished steps stay, nothing is lost, and the next call goes
    /// on behind them. It may read and write, but closing the store or compacting it from there is `.invalidArgument`.
    @discardableResult
    public func compact(
        _ scope: CompactionScope = .all, options: ManualCompactionOptions = ManualCompactionOptions(),
        progress: @escaping (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CompactionReport {
        try core.compact(scope, options, progress)
    }

    /// Gives the disk space of erased and expired entries back: segments in which nothing lives are deleted unread, others
    /// are written again without their dead blocks; blocks that live as a whole are copied as they are stored. On return the
    /// files are deleted, those excepted that snapshots and cursors hold. On a full disk a segment stays as it is while there is
    /// no space to write it again.
    ///
    /// `progress` as for ``compact(_:options:progress:)``. Snapshots and cursors keep what they can see.
    @discardableResult
    public func reclaim(
        progress: @escaping (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> CompactionReport {
        try core.reclaim(progress)
    }

    /// Reads every live byte of the segments and checks checksums, order, counts and filters. Damage, a missing file
    /// and one of a later version do not end it: they are listed, in the order of levels and keys.
    ///
    /// - Parameters:
    ///   - threads: How many read at a time, the caller's included, up to 64; `nil` for as many as there are processors. Each
    ///     takes some MiB of memory. What is found does not depend on it.
    ///   - progress: Gets the bytes read so far about every MiB, on the calling thread, and may throw to cancel.
    public func verify(
        threads: Int? = nil, progress: @escaping (UInt64) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> VerificationReport {
        try core.verify(threads: threads, progress)
    }

    /// Deletes what ``compact(_:options:progress:)`` has replaced, or waits for the thread that does; files that readers hold
    /// stay.
    package func deleteReplacedFiles() throws(StorageError) { try core.garbage.collectAll() }

    /// Bytes of the disk that the store's files take, as `du` counts them. O(files).
    package var allocatedBytes: UInt64 {
        get throws(StorageError) { try core.directories.allocatedBytes() }
    }

    /// Space that is left where the store is.
    package var freeBytes: UInt64 {
        get throws(StorageError) {
            do throws(IOFailure) { return try core.directories.root.freeBytes() } catch { throw error.storageError }
        }
    }

    /// Copies the store into the new directory `path`, which must not exist or be empty: segments are hard-linked, so it
    /// costs a flush and O(files). The copy is a store of its own and durable on return. It has every batch and control
    /// operation that had returned before the call, and equals the store at one moment during it: of what others write or
    /// change meanwhile it has a prefix.
    public func checkpoint(at path: String) throws(StorageError) { try core.checkpoint(at: path) }
}

/// What a verification found.
public struct VerificationReport: Sendable {
    public internal(set) var files = 0
    public internal(set) var bytes: UInt64 = 0
    public internal(set) var entries: UInt64 = 0
    /// One error for each file that is damaged, missing or of a later version, naming it and the first such place.
    public internal(set) var problems: [StorageError] = []
}

/// What a manual compaction did.
public struct CompactionReport: Sendable, Hashable {
    public internal(set) var readBytes: UInt64 = 0
    public internal(set) var writtenBytes: UInt64 = 0
    /// Bytes of replaced segments minus bytes of new ones: what the file system gets back. Negative when the tree grew.
    public internal(set) var returnedBytes: Int64 = 0
    /// Versions that a newer one hid, and versions that were purged, truncated, dropped or expired.
    public internal(set) var shadowedEntries: UInt64 = 0
    public internal(set) var erasedEntries: UInt64 = 0
    public internal(set) var removedTombstones: UInt64 = 0
    /// Blocks copied without being compressed again, and blocks skipped unread.
    public internal(set) var copiedBlocks: UInt64 = 0
    public internal(set) var skippedBlocks: UInt64 = 0
}
