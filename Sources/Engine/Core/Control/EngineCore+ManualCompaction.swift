import ShaleBase
import ShaleCompaction
import ShaleManifest

/// Compactions that a caller requests. Automatic compactions pause meanwhile; flushes continue.
extension EngineCore {
    func compact(
        _ scope: CompactionScope, _ wishes: ManualCompactionOptions,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try flush()
        // Blocks are sampled later, when each segment is processed.
        let estimate = try estimate(scope, wishes, samples: false)
        let totalBytes = estimate.readBytes + estimate.untouchedBytes
        return try manually(scope, wishes, totalBytes, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.mergeDown()
            try session.rewriteLastLevel()
        }
    }

    /// Frees the space of erased and expired entries: removes fully dead segments without reading them, and rewrites
    /// others without their dead blocks. Replaced files are deleted on return, except those in use by readers.
    func reclaim(
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        // Throws the error of a flush if the store is poisoned or closed.
        _ = try writableManifest()
        try committer.exclusively {}
        let totalBytes = viewCell.retained().version.storedBytes
        let report = try manually(.all, ManualCompactionOptions(), totalBytes, progress) {
            (session) throws(StorageError) in
            // Fully dead segments are dropped first: on a full disk the flush needs their space.
            try session.dropDeadSegments()
            try garbage.collectAll()
            do throws(StorageError) {
                try flush()
            } catch {
                // Entries in memtables stay there and are durable in their logs. The dead space of segments can be
                // freed without the flush.
                guard isShortage(error) else { throw error }
                shortages.add(1)
                try committer.syncLog()
            }
            try session.dropDeadSegments()
            try session.rewriteErased()
        }
        try garbage.collectAll()
        return report
    }

    private func manually(
        _ scope: CompactionScope, _ wishes: ManualCompactionOptions, _ totalBytes: UInt64,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void,
        _ work: (ManualCompaction) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        guard let background else { throw Committer.readOnlyError }
        try background.pause()
        defer { background.resume() }
        let session = ManualCompaction(self, scope, wishes, totalBytes: totalBytes, progress)
        try session.checkSpace()
        try work(session)
        return session.report
    }
}

extension CompactionReport {
    mutating func add(_ job: CompactionJob, _ statistics: CompactionStatistics) {
        readBytes += statistics.readBytes
        writtenBytes += statistics.writtenBytes
        if job.kind != .move { returnedBytes += Int64(job.replacedBytes) - Int64(statistics.writtenBytes) }
        shadowedEntries += statistics.retention.shadowed
        erasedEntries += statistics.retention.erased + statistics.skippedEntries
        removedTombstones += statistics.retention.tombstones
        copiedBlocks += statistics.copiedBlocks
        skippedBlocks += statistics.skippedBlocks
    }
}
