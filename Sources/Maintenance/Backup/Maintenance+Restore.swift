public import ShaleBase
import ShaleEngine
import ShaleManifest
package import ShalePlatform
import ShaleSegment

extension Maintenance {
    /// Makes a store from a backup in the directory `target`, which must not exist or must be empty.
    ///
    /// Without a number the newest backup is used. Every byte is verified before `target` becomes a store.
    @discardableResult
    public static func restore(
        from path: String, number: UInt64? = nil, into target: String, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try restore(
            from: path, number: number, into: target, options: options, fileSystem: PosixFileSystem(),
            progress: progress)
    }

    package static func restore(
        from path: String, number: UInt64?, into target: String, options: BackupOptions,
        fileSystem: any FileSystem, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        guard let chosen = number ?? directory.backups.last else {
            throw StorageError(.missing, "the directory holds no backup", file: path)
        }
        let record = try directory.record(chosen)
        let output = try NewStoreDirectory(at: target, fileSystem)
        do {
            try fill(output, record, directory, options, progress)
        } catch {
            output.abandon()
            throw error
        }
        return record.info
    }

    private static func fill(
        _ output: NewStoreDirectory, _ record: BackupRecord, _ directory: BackupDirectory, _ options: BackupOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 16)
        let bytes = ByteProgress(record.info.storedBytes, progress)
        let makeSegment = { Segment(metadata: $0, directory: output.segments, environment: environment) }
        for segment in record.segments {
            try FileCopy.take(
                segment.metadata, from: try directory.directory(of: segment, in: record), to: output.segments,
                links: options.linksFiles)
            try makeSegment(segment.metadata).verify()
            try bytes.add(segment.metadata.fileBytes)
        }
        do { try output.segments.sync() } catch { throw error.storageError }
        let manifest = try Manifest.start(
            in: output.root, state: record.state, identity: record.identity,
            fileNumbers: FileNumbers(next: record.state.nextFileNumber), makeSegment: makeSegment)
        try manifest.close()
        output.release()
    }
}
