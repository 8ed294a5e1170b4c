public import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSegment

/// The result of a verification.
public struct StoreVerification: Sendable {
    public internal(set) var files = 0
    public internal(set) var bytes: UInt64 = 0
    public internal(set) var entries: UInt64 = 0
    /// One error for each file that is damaged, missing or of a later version, or the error that ended the opening.
    public internal(set) var problems: [StorageError] = []
    /// The losses that result, one for each lost range. Empty if nothing is lost.
    public internal(set) var losses: [RepairLoss] = []
}

extension Maintenance {
    /// Reads and checks every byte that the store at `path` needs: checksums, order, counts against the manifest,
    /// references between files.
    ///
    /// Changes nothing, and works while another process has the store open. If there is a problem, a second pass over
    /// the store determines what is lost.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - threads: The number of threads that read, up to 64; `nil` for one per processor. The result and its order
    ///     don't depend on it.
    ///   - progress: Receives the bytes read so far, and may throw to cancel.
    public static func verify(
        storeAt path: String, threads: Int? = nil, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> StoreVerification {
        try verify(
            storeAt: path, threads: threads, engine: Engine.Options(), environment: EngineEnvironment(),
            progress: progress)
    }

    package static func verify(
        storeAt path: String, threads: Int? = nil, engine: Engine.Options, environment: EngineEnvironment,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> StoreVerification {
        var found = StoreVerification()
        do {
            try read(path, threads, engine, environment, &found, progress)
        } catch {
            guard error.isLossOfBytes, error.code != .missing else { throw error }
            found.problems.append(error)
        }
        guard !found.problems.isEmpty else { return found }
        let store = try DamagedStore(at: path, environment.fileSystem, isAlone: false)
        var dryRun = StoreRepair(store, nil, RepairOptions(), engine.time.wallMilliseconds, progress)
        try dryRun.run()
        found.losses = dryRun.report.losses
        return found
    }

    private static func read(
        _ path: String, _ threads: Int?, _ options: Engine.Options, _ environment: EngineEnvironment,
        _ found: inout StoreVerification, _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        var reading = options
        reading.mode = .readOnly
        let engine = try Engine.open(at: path, options: reading, environment: environment)
        let total = engine.statistics.storedBytes
        let report = try engine.verify(threads: threads) { (bytes) throws(StorageError) in
            try progress(MaintenanceProgress(bytes: bytes, totalBytes: total))
        }
        try engine.close()
        found.files = report.files
        found.bytes = report.bytes
        found.entries = report.entries
        found.problems = report.problems
    }
}
