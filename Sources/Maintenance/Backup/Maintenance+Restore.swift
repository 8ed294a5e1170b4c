import Shale
public import ShaleBase
import ShaleEngine
import ShaleManifest
package import ShalePlatform
import ShaleSegment
import ShaleValues

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
        let moment = BackupMoment(of: try directory.record(chosen))
        return try restore(moment, from: directory, into: target, options, fileSystem, progress)
    }

    /// Makes a store as it was at `time`, from a directory in which a ``BackupFollower`` made backups. The directory
    /// `target` must not exist or must be empty.
    ///
    /// The store is that of the last moment at or before `time`: the newest backup that is not later, and of its
    /// shipped log what precedes the first later moment. Every byte is verified before `target` becomes a store.
    /// Memory: a memtable of 64 MiB. A follower may be shipping meanwhile.
    ///
    /// - Parameters:
    ///   - path: The directory of the backups.
    ///   - time: The latest time whose state is restored.
    ///   - target: The directory of the new store.
    ///   - options: How the files of the backup are copied.
    ///   - progress: Called about every MiB.
    /// - Returns: The backup, whose ``BackupInfo/restored`` is the time of the moment.
    /// - Complexity: O(bytes of the backup and its shipped log).
    /// - Throws: `.missing` with the earliest time if all backups are later. `.corruption` if the backup, or its log
    ///   before the moment, is damaged; then `target` is absent or empty as before.
    @discardableResult
    public static func restore(
        from path: String, at time: Date, into target: String, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try restore(
            from: path, at: time, into: target, options: options, fileSystem: PosixFileSystem(), progress: progress)
    }

    package static func restore(
        from path: String, at time: Date, into target: String, options: BackupOptions, fileSystem: any FileSystem,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        let moment = try BackupMoment(at: time, in: directory)
        return try restore(moment, from: directory, into: target, options, fileSystem, progress)
    }

    private static func restore(
        _ moment: BackupMoment, from directory: BackupDirectory, into target: String, _ options: BackupOptions,
        _ fileSystem: any FileSystem, _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) -> BackupInfo {
        let output = try NewStoreDirectory(at: target, fileSystem)
        do {
            try fill(output, moment, directory, options, progress)
        } catch {
            output.abandon()
            throw error
        }
        // The log behind the moment is not read: damage to it must not fail what is done.
        var info = moment.record.info
        info.restored = Date(millisecondsSince1970: moment.wallMilliseconds)
        info.restorableThrough = max(info.created, info.restored ?? info.created)
        return info
    }

    private static func fill(
        _ output: NewStoreDirectory, _ moment: BackupMoment, _ directory: BackupDirectory, _ options: BackupOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        let record = moment.record
        let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 16)
        let bytes = ByteProgress(record.info.storedBytes + (moment.end ?? 0), progress)
        let makeSegment = { Segment(metadata: $0, directory: output.segments, environment: environment) }
        // Before the segments, whose verification reads them.
        for use in record.values {
            try FileCopy.take(
                use, from: try directory.directory(of: use.file, in: record), to: output.segments,
                links: options.linksFiles)
            try ValueSource(environment.values, in: output.segments).file(use.file).checkHeader()
            try bytes.add(use.fileBytes)
        }
        for segment in record.segments {
            try FileCopy.take(
                segment.metadata, from: try directory.directory(of: segment.number, in: record), to: output.segments,
                links: options.linksFiles)
            try makeSegment(segment.metadata).verify()
            try bytes.add(segment.metadata.fileBytes)
        }
        let state = try moment.replay(in: directory, to: output.segments, bytes)
        for segment in state.version.levels.flatMap(\.segments) where segment.number >= record.state.nextFileNumber {
            try makeSegment(segment.metadata).verify()
        }
        do { try output.segments.sync() } catch { throw error.storageError }
        let manifest = try Manifest.start(
            in: output.root, state: state, identity: record.identity,
            fileNumbers: FileNumbers(next: state.nextFileNumber), makeSegment: makeSegment)
        try manifest.close()
        output.release()
    }
}
