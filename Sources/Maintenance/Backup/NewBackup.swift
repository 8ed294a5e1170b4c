import ShaleBase
import ShaleEngine
import ShalePlatform

/// A backup that is being made in a directory.
struct NewBackup {
    let number: UInt64
    let store: FrozenStore
    private let directory: BackupDirectory

    /// Takes the state of the engine, and removes what earlier work has left over. The directory is locked.
    init(of engine: Engine, in directory: BackupDirectory) throws(StorageError) {
        self.directory = directory
        store = try engine.freeze()
        number = (directory.backups.last ?? 0) + 1
        try directory.remove([], keeping: try directory.records())
    }

    /// Copies what the directory lacks, and makes the backup exist. The engine stays open meanwhile.
    func make(
        _ options: BackupOptions, threads: Int, _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) -> BackupInfo {
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
}
