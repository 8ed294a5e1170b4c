import ShaleBase
import ShaleCompaction
import ShaleManifest

/// Compactions that a caller asked for. Automatic picks rest meanwhile; flushes go on.
extension EngineCore {
    func compact(
        _ scope: CompactionScope, _ wishes: ManualCompactionOptions,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        try flush()
        // Its samples are taken when their segment's turn has come.
        let estimate = try estimate(scope, wishes, samples: false)
        let totalBytes = estimate.readBytes + estimate.untouchedBytes
        return try manually(scope, wishes, totalBytes, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.mergeDown()
            try session.rewriteLastLevel()
        }
    }

    /// Gives the space of erased and expired entries back: whole segments unread, others without their dead blocks. Files that
    /// were replaced are gone on return, those excepted that readers hold.
    func reclaim(
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        // What a flush would throw, of a store that is poisoned or closed.
        _ = try writableManifest()
        try committer.exclusively {}
        let totalBytes = viewCell.retained().version.storedBytes
        let report = try manually(.all, ManualCompactionOptions(), totalBytes, progress) {
            (session) throws(StorageError) in
            // Whole segments go first: on a full disk they are the space that the flush needs.
            try session.dropDeadSegments()
            try garbage.collectAll()
            do throws(StorageError) {
                try flush()
            } catch {
                // What is in memtables stays there, durable in its logs; what is in segments can be given back all the same.
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
