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
        return try manually(scope, wishes, progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.mergeDown()
            try session.rewriteLastLevel()
        }
    }

    /// Gives the space of erased and expired entries back: whole segments unread, others without their dead blocks.
    func reclaim(
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        // What a flush would throw, of a store that is poisoned or closed.
        _ = try writableManifest()
        try committer.exclusively {}
        // Whole segments go first: on a full disk they are the space that the flush needs.
        let dropped = try manually(.all, ManualCompactionOptions(), progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
        }
        try flush()
        var report = try manually(.all, ManualCompactionOptions(), progress) { (session) throws(StorageError) in
            try session.dropDeadSegments()
            try session.rewriteErased()
        }
        report.add(dropped)
        return report
    }

    private func manually(
        _ scope: CompactionScope, _ wishes: ManualCompactionOptions,
        _ progress: @escaping (CompactionProgress) throws(StorageError) -> Void,
        _ work: (ManualCompaction) throws(StorageError) -> Void
    ) throws(StorageError) -> CompactionReport {
        guard let background else { throw Committer.readOnlyError }
        try background.pause()
        defer { background.resume() }
        let before = viewCell.retained().version.storedBytes
        let session = ManualCompaction(self, scope, wishes, progress)
        try session.checkSpace()
        try work(session)
        try garbage.collect()
        var report = session.report
        report.returnedBytes = Int64(before) - Int64(viewCell.retained().version.storedBytes)
        return report
    }
}

extension CompactionReport {
    fileprivate mutating func add(_ other: CompactionReport) {
        readBytes += other.readBytes
        writtenBytes += other.writtenBytes
        returnedBytes += other.returnedBytes
        shadowedEntries += other.shadowedEntries
        erasedEntries += other.erasedEntries
        removedTombstones += other.removedTombstones
        copiedBlocks += other.copiedBlocks
        skippedBlocks += other.skippedBlocks
    }

    mutating func add(_ statistics: CompactionStatistics) {
        readBytes += statistics.readBytes
        writtenBytes += statistics.writtenBytes
        shadowedEntries += statistics.retention.shadowed
        erasedEntries += statistics.retention.erased + statistics.skippedEntries
        removedTombstones += statistics.retention.tombstones
        copiedBlocks += statistics.copiedBlocks
        skippedBlocks += statistics.skippedBlocks
    }
}
