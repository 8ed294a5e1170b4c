public import ShaleBase
import ShalePlatform

extension Engine {
    /// Asks the process that has the store at `path` open to compact it, and waits until that is done.
    ///
    /// The owner does the work as ``compact(_:options:progress:)`` does, with its own options, one request after the
    /// other. It accepts requests from processes of its own user, unless ``Options/acceptsRequests`` is false. The
    /// request ends with its process: the owner then cancels the work.
    ///
    /// - Parameters:
    ///   - path: The directory of the store.
    ///   - scope: What is compacted.
    ///   - options: Recompression, and a bound on the extra disk space. The compression is that of the owner's options.
    ///   - purging: The namespaces whose purgeable entries are removed first. Those that were dropped are left out.
    ///   - progress: Called on this thread about every 50 ms, with 0 of 0 bytes until the owner begins. It may throw to
    ///     cancel: finished steps stay.
    /// - Throws: `.missing` if there is no store; `.unavailable` if nobody accepts requests within 10 s, or if the
    ///   owner has ended; `.locked` if the directory of requests belongs to another user; the errors of the work and of
    ///   `progress`.
    @discardableResult
    public static func requestCompaction(
        ofStoreAt path: String, scope: CompactionScope = .all,
        options: ManualCompactionOptions = ManualCompactionOptions(), purging: [NamespaceID] = [],
        progress: (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> OwnerWorkReport {
        var request = OwnerRequest(work: .compact)
        request.scope = scope
        request.options = options
        request.purged = purging
        return try RequestClient(at: path, PosixFileSystem()).run(request, progress)
    }

    /// Asks the process that has the store at `path` open to remove the purgeable entries of namespaces and to free
    /// their space, and waits until that is done.
    ///
    /// The owner purges first, which is durable and takes effect at once, and then does as ``reclaim(progress:)`` does.
    /// Everything else is as with ``requestCompaction(ofStoreAt:scope:options:purging:progress:)``.
    @discardableResult
    public static func requestPurge(
        ofStoreAt path: String, of namespaces: [NamespaceID],
        progress: (CompactionProgress) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> OwnerWorkReport {
        var request = OwnerRequest(work: .reclaim)
        request.purged = namespaces
        return try RequestClient(at: path, PosixFileSystem()).run(request, progress)
    }
}
