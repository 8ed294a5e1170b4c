public import ShaleBase
public import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Adds a backup of an open store to the directory `path`, which is created if it is missing.
    ///
    /// A read-only engine backs up the state that it shows, beside the owner of the store.
    ///
    /// Segments of earlier backups are not copied again. Each copy is read back, and all of its checksums are verified;
    /// ``verifyBackups(in:number:progress:)`` also decodes the blocks. The store stays usable meanwhile. The backup
    /// exists once this returns. If the process dies before, the next backup removes the files left over.
    ///
    /// - Throws: `.corruption` if the store's own files are damaged; other errors of reading and writing.
    /// - Complexity: O(bytes of new segments).
    @discardableResult
    public static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions = BackupOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        try backUp(
            engine, to: path, options: options, fileSystem: PosixFileSystem(), threads: backupThreads(),
            progress: progress)
    }

    /// More threads than processors: each waits for the disk in the sync of its copy.
    static func backupThreads() -> Int { processorCount() + 2 }

    package static func backUp(
        _ engine: Engine, to path: String, options: BackupOptions, fileSystem: any FileSystem, threads: Int = 1,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> BackupInfo {
        let directory = try BackupDirectory(at: path, fileSystem, changes: true)
        defer { directory.close() }
        let backup = try NewBackup(of: engine, in: directory)
        return try backup.make(options, threads: threads, progress)
    }

    /// Returns the backups in a directory, oldest first.
    ///
    /// - Complexity: O(size of the backups' records). Of a shipped log only the end is read.
    public static func backups(in path: String) throws(StorageError) -> [BackupInfo] {
        try backups(in: path, fileSystem: PosixFileSystem())
    }

    package static func backups(in path: String, fileSystem: any FileSystem) throws(StorageError) -> [BackupInfo] {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        var infos: [BackupInfo] = []
        for record in try directory.records() { infos.append(try ShippedLog.info(of: record, in: directory)) }
        return infos
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
        try directory.remove(Array(gone), keeping: kept)
        return Array(gone)
    }
}
