public import ShaleBase
public import ShaleEngine
package import ShalePlatform
import ShaleSegment

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Maintenance {
    /// Adds a backup of an open store to the directory `path`, which is created if it is missing.
    ///
    /// A read-only engine backs up the state that it shows, beside the owner of the store.
    ///
    /// Segments of earlier backups are not copied again; each copied segment is verified. The store stays usable
    /// meanwhile. The backup exists once this returns. If the process dies before, the next backup removes the files
    /// left over.
    ///
    /// - Throws: `.corruption` if the store's own files are damaged; other errors of reading and writing.
    /// - Complexity: O(bytes of new segments).
    @discardableResult
    public static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try backUp(
            engine, to: path, options: options, fileSystem: PosixFileSystem(), threads: processorCount(),
            progress: progress)
    }

    package static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions, fileSystem: any FileSystem, threads: Int = 1,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        let directory = try BackupDirectory(at: path, fileSystem, changes: true)
        defer { directory.close() }
        let store = try engine.freeze()
        var kept: [BackupRecord] = []
        for number in directory.backups { kept.append(try directory.record(number)) }
        try directory.removeUnneeded(keeping: kept)
        let number = (directory.backups.last ?? 0) + 1
        var run = try BackupRun(directory, number, store, options, progress)
        try run.copy(threads: threads)
        let record = BackupRecord(
            number: number, pool: run.pool, firstOwn: run.firstOwn, identity: store.identity,
            wallMilliseconds: store.wallMilliseconds, state: run.state)
        do { try record.write(in: directory.root) } catch { throw error.storageError }
        var info = record.info
        info.copiedSegments = run.copiedSegments
        info.copiedBytes = run.copiedBytes
        return info
    }

    /// Returns the backups in a directory, oldest first.
    public static func backups(in path: String) throws(StorageError) -> [BackupInfo] {
        try backups(in: path, fileSystem: PosixFileSystem())
    }

    package static func backups(in path: String, fileSystem: any FileSystem) throws(StorageError) -> [BackupInfo] {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        var infos: [BackupInfo] = []
        for number in directory.backups { infos.append(try directory.record(number).info) }
        return infos
    }

    /// Reads and checks every byte of one backup, or of all backups.
    ///
    /// - Returns: One error for each damaged or missing file.
    public static func verifyBackups(
        in path: String, number: UInt64? = nil, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> [StorageError] {
        try verifyBackups(in: path, number: number, fileSystem: PosixFileSystem(), progress: progress)
    }

    package static func verifyBackups(
        in path: String, number: UInt64?, fileSystem: any FileSystem,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> [StorageError] {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        var problems: [StorageError] = []
        var segments: [String: Segment] = [:]
        for backup in number.map({ [$0] }) ?? directory.backups {
            do {
                let record = try directory.record(backup)
                // Backups share segments: each file is read once.
                for segment in record.segments {
                    let place = record.isOwn(segment) ? "own \(backup)" : "\(record.pool)"
                    segments["\(place)/\(segment.number)"] = segment
                }
            } catch {
                guard error.isLossOfBytes else { throw error }
                problems.append(error)
            }
        }
        let total = segments.values.reduce(UInt64(0)) { $0 + $1.metadata.fileBytes }
        let bytes = ByteProgress(total, progress)
        for (_, segment) in segments.sorted(by: { $0.key < $1.key }) {
            do {
                try segment.verify()
                try bytes.add(segment.metadata.fileBytes)
            } catch {
                guard error.isLossOfBytes else { throw error }
                problems.append(error)
            }
        }
        return problems
    }

    /// Removes all backups except the newest `count`, and the files that only they needed.
    ///
    /// - Returns: The numbers of the removed backups.
    @discardableResult
    public static func pruneBackups(in path: String, keeping count: Int) throws(StorageError) -> [UInt64] {
        try pruneBackups(in: path, keeping: count, fileSystem: PosixFileSystem())
    }

    package static func pruneBackups(
        in path: String, keeping count: Int, fileSystem: any FileSystem
    ) throws(StorageError) -> [UInt64] {
        guard count >= 1 else { throw .invalid("at least one backup must be kept") }
        let directory = try BackupDirectory(at: path, fileSystem, changes: true)
        defer { directory.close() }
        let gone = directory.backups.dropLast(count)
        var kept: [BackupRecord] = []
        for number in directory.backups.suffix(count) { kept.append(try directory.record(number)) }
        do throws(IOFailure) {
            for number in gone { try directory.root.remove(BackupLayout.backup(number)) }
            // A record requires all its segments, so its removal must be durable before segments are removed.
            if !gone.isEmpty { try directory.root.sync() }
        } catch {
            throw error.storageError
        }
        try directory.removeUnneeded(keeping: kept)
        return Array(gone)
    }
}

/// One backup in a backup directory.
public struct BackupInfo: Sendable, Hashable {
    /// The backup's number in its directory. Numbers start at 1 and grow. 0 for a backup in a stream.
    public let number: UInt64
    /// The time of the backup.
    public let created: Date
    public let segments: Int
    /// The stored bytes of its segments, including those shared with other backups.
    public let storedBytes: UInt64
    public let entries: UInt64
    /// The number of files copied for this backup; 0 in lists.
    public internal(set) var copiedSegments = 0
    /// The bytes of those files; 0 in lists.
    public internal(set) var copiedBytes: UInt64 = 0
}

/// The options for making or restoring a backup.
public struct BackupOptions: Sendable {
    /// True if files are hard-linked where source and target are on one file system.
    ///
    /// Links take no time and no space, but source and target then share the bytes: damage to the medium affects both.
    public var linksFiles = false

    public init() {}
}
