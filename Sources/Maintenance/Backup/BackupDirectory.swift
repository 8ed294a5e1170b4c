import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleValues

/// A directory of backups, which share the segments and value files that they have in common.
///
/// The file `BACKUP-N` makes a backup exist. It is written last and removed first. Segments and value files that no
/// such file names, and shipped logs without such a file, are left over from interrupted work. The next operation
/// removes them.
struct BackupDirectory {
    let root: any Directory
    let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64)
    /// In ascending order.
    private(set) var backups: [UInt64] = []
    /// The numbers of the backups that have, or had, a shipped log.
    private(set) var logs: Set<UInt64> = []
    private var pools: [UInt64] = []
    /// The numbers of the backups that have, or had, segments of their own.
    private var owns: [UInt64] = []
    private let lock: (any FileLock)?

    /// Opens the directory. `changes`: acquires the lock, and creates the directory if it is missing.
    init(at path: String, _ fileSystem: any FileSystem, changes: Bool) throws(StorageError) {
        let isStore: Bool
        do throws(IOFailure) {
            root = try fileSystem.openDirectory(path, create: changes)
            isStore = try root.exists(StoreLayout.current)
        } catch {
            throw error.storageError
        }
        guard !isStore else {
            throw StorageError(.invalidArgument, "the directory is a store, not a directory of backups", file: path)
        }
        do throws(IOFailure) {
            lock = changes ? try root.lock(StoreLayout.lock) : nil
        } catch {
            if error.isWouldBlock {
                throw StorageError(.locked, "the backups are in use", file: StoreLayout.lock, cause: error)
            }
            throw error.storageError
        }
        try list()
    }

    /// Reads again which backups there are.
    mutating func list() throws(StorageError) {
        let names: [String]
        do { names = try root.list() } catch { throw error.storageError }
        logs = Set(names.compactMap { BackupLayout.logNumber($0) })
        backups = names.compactMap { BackupLayout.backupNumber($0) }.sorted()
        pools = names.compactMap { BackupLayout.poolNumber($0) }.sorted()
        owns = names.compactMap { BackupLayout.ownNumber($0) }.sorted()
    }

    func record(_ number: UInt64) throws(StorageError) -> BackupRecord {
        guard backups.contains(number) else {
            throw StorageError(.missing, "there is no backup \(number)", file: BackupLayout.backup(number))
        }
        return try BackupRecord.read(number, in: root, environment)
    }

    func records() throws(StorageError) -> [BackupRecord] {
        var records: [BackupRecord] = []
        for number in backups { records.append(try record(number)) }
        return records
    }

    /// Releases the lock. Idempotent.
    func close() { lock?.release() }

    // MARK: Pools

    var newestPool: UInt64 { pools.last ?? 1 }

    func pool(_ number: UInt64, create: Bool = false) throws(StorageError) -> any Directory {
        do { return try root.openDirectory(BackupLayout.pool(number), create: create) } catch {
            throw error.storageError
        }
    }

    /// Returns the empty directory for segments and value files of the backup `number` alone.
    func makeOwn(_ number: UInt64) throws(StorageError) -> any Directory {
        do { return try root.openDirectory(BackupLayout.own(number), create: true) } catch {
            throw error.storageError
        }
    }

    /// Returns the directory of the segment or value file `number` of a backup.
    func directory(of number: UInt64, in record: BackupRecord) throws(StorageError) -> any Directory {
        guard record.isOwn(number) else { return try pool(record.pool) }
        do { return try root.openDirectory(BackupLayout.own(record.number), create: false) } catch {
            throw error.storageError
        }
    }

    /// Removes the backups `gone`, and the files that none of `kept` needs. After a failure or a crash the next call
    /// continues.
    func remove(_ gone: [UInt64], keeping kept: [BackupRecord]) throws(StorageError) {
        do throws(IOFailure) {
            for number in gone { try root.remove(BackupLayout.backup(number)) }
            // A record requires its other files, so its removal must be durable before they are removed.
            if !gone.isEmpty { try root.sync() }
            for number in logs where !kept.contains(where: { $0.number == number }) {
                try root.remove(BackupLayout.log(number))
            }
        } catch {
            throw error.storageError
        }
        for pool in pools {
            let needed = Set(kept.filter { $0.pool == pool }.flatMap(\.fileNames))
            let directory = try self.pool(pool)
            do throws(IOFailure) {
                for name in try directory.list() where !needed.contains(name) && BackupLayout.isShared(name) {
                    try directory.remove(name)
                }
            } catch {
                throw error.storageError
            }
        }
        for number in owns where !kept.contains(where: { $0.number == number && $0.firstOwn != nil }) {
            do throws(IOFailure) { try removeOwn(number) } catch { throw error.storageError }
        }
    }

    private func removeOwn(_ number: UInt64) throws(IOFailure) {
        let name = BackupLayout.own(number)
        let directory = try root.openDirectory(name, create: false)
        for file in try directory.list() where BackupLayout.isShared(file) { try directory.remove(file) }
        // A file that is not Shale's keeps the directory.
        if try directory.list().isEmpty { try root.removeDirectory(name) }
    }
}

/// Names in a backup directory. On disk, do not change: ShaleMaintenance.docc, "How backups work".
enum BackupLayout {
    private static let backupPrefix = "BACKUP-"
    private static let poolPrefix = "segments-"
    private static let ownPrefix = "own-segments-"
    private static let logPrefix = "LOG-"
    static let temporarySuffix = ".tmp"

    /// True if `name` is that of a segment or a value file.
    static func isShared(_ name: String) -> Bool {
        StoreLayout.segmentNumber(name) != nil || StoreLayout.valuesNumber(name) != nil
    }

    static func backup(_ number: UInt64) -> String { backupPrefix + number.fileNumberDigits }
    static func pool(_ number: UInt64) -> String { poolPrefix + number.fileNumberDigits }
    static func own(_ number: UInt64) -> String { ownPrefix + number.fileNumberDigits }
    static func log(_ number: UInt64) -> String { logPrefix + number.fileNumberDigits }
    static func logNumber(_ name: String) -> UInt64? { number(name, logPrefix) }
    static func ownNumber(_ name: String) -> UInt64? { number(name, ownPrefix) }
    static func backupNumber(_ name: String) -> UInt64? { number(name, backupPrefix) }
    static func poolNumber(_ name: String) -> UInt64? { number(name, poolPrefix) }

    private static func number(_ name: String, _ prefix: String) -> UInt64? {
        guard name.hasPrefix(prefix) else { return nil }
        return StoreLayout.manifestNumber(StoreLayout.manifestPrefix + name.dropFirst(prefix.count))
    }
}

extension SegmentEnvironment {
    /// Checks the headers of value files in a directory.
    func checkHeaders(of uses: [ValueUse], in directory: any Directory) throws(StorageError) {
        let source = ValueSource(values, in: directory)
        for use in uses { try source.file(use.file).checkHeader() }
    }
}
