public import ShaleBase
public import ShaleEngine
package import ShalePlatform
import ShaleSegment

extension Maintenance {
    /// Adds a backup of an open store to the directory `path`, which is made if it is missing. Segments that an earlier backup
    /// has are not copied again; each one that is copied is verified. Others may go on using the store.
    ///
    /// The backup is there when this returns, and not before: dying in between leaves files that the next one removes.
    /// `.corruption` where the store's own files are damaged. Time: proportional to what is new.
    @discardableResult
    public static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try backUp(engine, to: path, options: options, fileSystem: PosixFileSystem(), progress: progress)
    }

    package static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions, fileSystem: any FileSystem,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        let directory = try BackupDirectory(at: path, fileSystem, changes: true)
        defer { directory.close() }
        let store = try engine.freeze()
        var kept: [BackupRecord] = []
        for number in directory.backups { kept.append(try directory.record(number)) }
        try directory.removeUnneeded(keeping: kept)
        var run = try BackupRun(directory, store, options, progress)
        try run.copy()
        let record = BackupRecord(
            number: (directory.backups.last ?? 0) + 1, pool: run.pool, identity: store.identity,
            wallMilliseconds: store.wallMilliseconds, state: store.state)
        do { try record.write(in: directory.root) } catch { throw error.storageError }
        var info = record.info
        info.copiedSegments = run.copiedSegments
        info.copiedBytes = run.copiedBytes
        return info
    }

    /// The backups in a directory, oldest first.
    public static func backups(in path: String) throws(StorageError) -> [BackupInfo] {
        try backups(in: path, fileSystem: PosixFileSystem())
    }

    package static func backups(in path: String, fileSystem: any FileSystem) throws(StorageError) -> [BackupInfo] {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        var infos: [BackupInfo] = []
        for number in directory.backups { infos.append(try directory.record(number).info) }
        return infos
    }

    /// Reads every byte of a backup, or of all, and checks it.
    /// - Returns: what is wrong; one error for each file.
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
                for segment in record.segments { segments["\(record.pool)/\(segment.number)"] = segment }
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

    /// Removes all backups but the newest `count`, and the files that only they had.
    /// - Returns: the numbers of those that went.
    @discardableResult
    public static func pruneBackups(in path: String, keeping count: Int) throws(StorageError) -> [UInt64] {
        try pruneBackups(in: path, keeping: count, fileSystem: PosixFileSystem())
    }

    package static func pruneBackups(
        in path: String, keeping count: Int, fileSystem: any FileSystem
    ) throws(StorageError) -> [UInt64] {
        guard count >= 1 else { throw .invalid("one backup is kept at least") }
        let directory = try BackupDirectory(at: path, fileSystem, changes: true)
        defer { directory.close() }
        let gone = directory.backups.dropLast(count)
        var kept: [BackupRecord] = []
        for number in directory.backups.suffix(count) { kept.append(try directory.record(number)) }
        do throws(IOFailure) {
            for number in gone { try directory.root.remove(BackupLayout.backup(number)) }
            // A file that is named has all its segments: names go durably before what they name.
            if !gone.isEmpty { try directory.root.sync() }
        } catch {
            throw error.storageError
        }
        try directory.removeUnneeded(keeping: kept)
        return Array(gone)
    }
}
