import Shale
public import ShaleBase
public import ShaleEngine
package import ShalePlatform

/// Makes continuous backups of a store: backups in a directory, and after each of them every batch as it is made, so
/// that ``Maintenance/restore(from:at:into:options:progress:)`` restores any moment.
///
/// ```swift
/// let follower = try BackupFollower(reader, to: directory)
/// while isRunning {
///     _ = try follower.step()
///     try await Task.sleep(for: .seconds(1))
/// }
/// try follower.close()
/// ```
///
/// Each ``step(progress:)`` ships what is new and records a moment. The owner of the store works on, in this or another
/// process; what is not shipped yet is kept within its bounds (`Engine.Options.readerTimeMax`). If it is given up,
/// the next step makes a new backup. A follower may be killed at any time: everything through its last moment can be
/// restored, and the next follower begins with a new backup. ShaleMaintenance.docc, "How backups work".
///
/// The directory is locked from the beginning to ``close()``. Backups in it can be listed, verified and restored
/// meanwhile. One thread at a time.
public final class BackupFollower {
    private let options: Options
    private let time: any TimeSource
    private let threads: Int
    private var directory: BackupDirectory
    private var engine: Engine
    /// The engine of the moment that was shipped last, or of the backup. While it is held, the owner of the store keeps
    /// the value files to which batches after that moment refer.
    private var shipped: Engine
    /// `nil` until the first backup, and after a failure. The next step then makes a backup.
    private var shipper: LogShipper?
    /// The shipper of a backup that is being made.
    private var nextShipper: LogShipper?
    /// The monotonic times of the last backup and of the last look at the store, in nanoseconds.
    private var backedUpAt: UInt64 = 0
    private var lookedAt: UInt64 = 0
    /// True until the state of the engine was shipped.
    private var isBehind = true
    private var isClosed = false

    /// Begins to follow a store.
    ///
    /// - Parameters:
    ///   - engine: A read-only engine of the store. Its state is not needed any more.
    ///   - path: The directory of the backups, which is created if it is missing.
    ///   - options: How often backups are made, and how long they are kept.
    /// - Throws: `.invalidArgument` if the engine is the owner of the store or an option is out of bounds, `.locked` if
    ///   the directory is in use, and the errors of reading it.
    public convenience init(_ engine: Engine, to path: String, options: Options = Options()) throws(StorageError) {
        try self.init(
            engine, to: path, options: options, fileSystem: PosixFileSystem(), time: SystemTime(),
            threads: Maintenance.backupThreads())
    }

    package init(
        _ engine: Engine, to path: String, options: Options, fileSystem: any FileSystem, time: any TimeSource,
        threads: Int = 1
    ) throws(StorageError) {
        guard engine.isReadOnly else { throw .invalid("a follower of backups takes a read-only engine") }
        guard options.interval >= .milliseconds(1), options.backupInterval >= .zero, options.keptTime >= .zero else {
            throw .invalid("the interval of a follower is at least 1 ms, and no time is negative")
        }
        self.engine = engine
        shipped = engine
        self.options = options
        self.time = time
        self.threads = threads
        directory = try BackupDirectory(at: path, fileSystem, changes: true)
    }

    deinit { directory.close() }

    /// The time of the last moment that can be restored, in milliseconds since 1970; `nil` if the next step makes a
    /// backup.
    package var shippedThrough: Int64? { shipper?.wallMilliseconds }

    /// Ships what has changed since the last step, or makes a new backup. Everything is durable on return.
    ///
    /// - Parameter progress: Called about every MiB that a backup copies. An error that it throws ends the step.
    /// - Returns: What was done.
    /// - Complexity: Without changes some system calls, tens of microseconds. Otherwise O(new bytes in the store's
    ///   logs, and namespaces); a backup takes O(bytes of new segments).
    /// - Throws: `.closed` after ``close()``, and the errors of reading the store and of writing backups. The next step
    ///   continues; after a failed write it makes a new backup.
    public func step(progress: @escaping MaintenanceProgress.Handler = { _ in }) throws(StorageError) -> Step {
        guard !isClosed else { throw StorageError(.closed, "the follower of backups is closed") }
        try look()
        guard isBehind else { return .unchanged }
        guard shipper != nil, !isBackupDue else { return try backUp(progress) }
        let outcome = try ship(&shipper)
        shipped = engine
        if case .shipped(let batches, let bytes) = outcome {
            isBehind = false
            return .shipped(batches: batches, bytes: bytes)
        }
        guard case .unchanged = outcome else { return try backUp(progress) }
        isBehind = false
        return .unchanged
    }

    /// Ends the log, and releases the store and the directory. Idempotent.
    public func close() throws(StorageError) {
        guard !isClosed else { return }
        isClosed = true
        defer { directory.close() }
        let last = shipper
        shipper = nil
        try last?.close()
    }
}

extension BackupFollower {
    private func look() throws(StorageError) {
        lookedAt = time.monotonicNanoseconds
        let newest = try engine.refreshed()
        if newest !== engine { isBehind = true }
        engine = newest
        if PlantedBug.isActive(.releaseShippedValues) { shipped = newest }
    }

    private func hasPassed(_ duration: Duration, since begin: UInt64) -> Bool {
        .nanoseconds(Int64(clamping: time.monotonicNanoseconds &- begin)) >= duration
    }

    private var isBackupDue: Bool {
        hasPassed(options.backupInterval, since: backedUpAt) || (shipper?.byteCount ?? 0) >= options.logBytesMax
    }

    /// Ships the state of the engine. After a failure or an interruption the shipper is gone: its log has ended.
    private func ship(_ target: inout LogShipper?) throws(StorageError) -> LogShipper.Outcome? {
        guard let shipper = target else { return nil }
        target = nil
        let outcome = try shipper.ship(engine)
        if case .interrupted = outcome { try shipper.close() } else { target = shipper }
        return outcome
    }

    private func backUp(_ progress: @escaping MaintenanceProgress.Handler) throws(StorageError) -> Step {
        var attempts = 0
        while true {
            do throws(StorageError) {
                return try makeBackup(progress)
            } catch {
                attempts += 1
                // The owner has given up a file before it was copied.
                let isPassing = error.code == .missing || error.code == .outdated
                guard isPassing, attempts < BackupFollower.attemptsMax else { throw error }
                try look()
            }
        }
    }

    private static let attemptsMax = 3

    /// Makes a backup. Meanwhile moments are shipped to the log before and to the new one, because the new one is left
    /// over if the backup fails.
    private func makeBackup(_ progress: @escaping MaintenanceProgress.Handler) throws(StorageError) -> Step {
        let backedUp = engine
        let begin = time.monotonicNanoseconds
        isBehind = true
        // With what an attempt before has left over.
        try directory.list()
        let backup = try NewBackup(of: backedUp, in: directory)
        nextShipper = try LogShipper(of: backup, backedUp, in: directory)
        defer { nextShipper = nil }
        let info = try backup.make(options.backup, threads: threads) { (step) throws(StorageError) in
            try progress(step)
            try self.shipMeanwhile()
        }
        // The state of the backup, and with it its files, was held until here.
        withExtendedLifetime(backedUp) {}
        shipped = engine
        try shipper?.close()
        shipper = nextShipper
        backedUpAt = begin
        isBehind = shipper == nil
        try directory.list()
        return .backedUp(info, removed: try prune())
    }

    private func shipMeanwhile() throws(StorageError) {
        guard hasPassed(options.interval, since: lookedAt) else { return }
        try look()
        _ = try ship(&shipper)
        _ = try ship(&nextShipper)
        shipped = engine
    }

    /// Removes the backups that no moment of the kept time needs. Returns their numbers.
    private func prune() throws(StorageError) -> [UInt64] {
        let records = try directory.records()
        guard let newest = records.last else { return [] }
        let kept = options.keptTime.wholeMilliseconds
        let first = newest.wallMilliseconds.subtractingReportingOverflow(kept)
        guard !first.overflow else { return [] }
        // Restoring the first kept time takes the newest backup that is not later.
        let needed =
            PlantedBug.isActive(.pruneKeptTime)
            ? newest.number : records.last { $0.wallMilliseconds <= first.partialValue }?.number ?? 0
        let gone = records.filter { $0.number < needed && directory.logs.contains($0.number) }.map(\.number)
        guard !gone.isEmpty else { return [] }
        try directory.remove(gone, keeping: records.filter { !gone.contains($0.number) })
        try directory.list()
        return gone
    }
}
