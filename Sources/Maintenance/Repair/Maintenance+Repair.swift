public import ShaleBase
import ShaleEngine
package import ShalePlatform

extension Maintenance {
    /// Reads what is left of the store at `path`, without changing it, and makes a new store of it at `target`, which must
    /// not exist or be empty.
    ///
    /// The new store never holds what the old one had not: nothing is invented, and nothing that was deleted, overwritten,
    /// purged, truncated, dropped or has expired comes back. So an entry that something that is lost may have deleted or
    /// overwritten is left out and counted, unless the options say otherwise. The report names file, offset and keys of
    /// all that is lost. Of a sound store the result is equal, key for key. The result is verified before this returns; until
    /// then `target` is no store.
    ///
    /// Takes the old store's lock: `.locked` when it is in use. `.newerFormat` when a newer version wrote it.
    /// Time: proportional to the size. Memory: the unflushed logs and some 64 MiB.
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

    /// Opens what was made, and reads all of it.
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
