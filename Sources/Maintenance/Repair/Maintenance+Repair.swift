public import ShaleBase
import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Salvages what is left of the store at `path` into a new store at `target`, which must not exist or must be
    /// empty. The old store is not changed.
    ///
    /// The new store contains only entries of the old one. Nothing is invented, and nothing that was deleted,
    /// overwritten, purged, truncated, dropped or expired returns. If a lost part may have deleted or overwritten an
    /// entry, the entry is left out and counted, unless the options say otherwise. The report names file, offset and
    /// keys of every loss. For an undamaged store the result is equal, key for key. The result is verified before this
    /// returns; until then `target` is no store.
    ///
    /// Memory: the unflushed logs and about 64 MiB.
    ///
    /// - Throws: `.locked` if the store is open; `.newerFormat` if a newer version wrote it; other errors of reading
    ///   and writing.
    /// - Complexity: O(bytes of the store).
    @discardableResult
    public static func repair(
        storeAt path: String, into target: String, options: RepairOptions = RepairOptions(),
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> RepairReport {
        try repair(
            storeAt: path, into: target, options: options, engine: EngineOptions(), fileSystem: PosixFileSystem(),
            threads: processorCount(), progress: progress)
    }

    package static func repair(
        storeAt path: String, into target: String, options: RepairOptions, engine: EngineOptions,
        fileSystem: any FileSystem, threads: Int = 1, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> RepairReport {
        var writing = engine
        writing.lastCompression = options.compression
        try writing.validate()
        let store = try DamagedStore(at: path, fileSystem, isAlone: true)
        let builder = try StoreBuilder(at: target, fileSystem, writing, threads: threads)
        var repair = StoreRepair(store, builder, options, writing.time.wallMilliseconds, progress)
        do {
            try repair.run()
        } catch {
            builder.abandon()
            throw error
        }
        try verify(target, repair.report, writing, fileSystem)
        return repair.report
    }

    /// Opens the new store and reads all of it.
    private static func verify(
        _ target: String, _ report: RepairReport, _ options: EngineOptions, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        var reading = options
        reading.mode = .readOnly
        let engine = try Engine.open(
            at: target, options: reading, environment: EngineEnvironment(fileSystem: fileSystem))
        let found = try engine.verify()
        try engine.close()
        if let problem = found.problems.first { throw problem }
        guard found.entries == report.placedEntries else {
            throw .corruption("the new store has \(found.entries) entries, not \(report.placedEntries)", file: target)
        }
    }
}
