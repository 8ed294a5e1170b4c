import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

/// All parts of an open engine. ``Engine`` is its public interface; background threads keep this object alive.
///
/// Lock order: ShaleEngine.docc, "Lock order and clocks". In short:
///
/// 1. The commit lock comes before the manifest's lock.
/// 2. Both come before the locks of view cell, snapshots, frozen moments and erasure table.
/// 3. The lock of ``Background`` comes before the last three. Neither of the first two is taken under it.
/// 4. No lock is held while the clock is read.
final class EngineCore: @unchecked Sendable {
    let options: Engine.Options
    let thresholds: ValueThresholds
    let compaction: CompactionOptions
    let environment: EngineEnvironment
    let directories: StoreDirectories
    let clock: EngineClock
    let epochs: EpochLease
    let domain: EpochDomain
    let segmentEnvironment: SegmentEnvironment
    let arenas: ArenaPool
    let erasures: ErasureTable
    let snapshots: SnapshotRegistry
    let viewCell: ViewCell
    let scans = ScanPool()
    let committer: Committer
    let pacer: Pacer
    let counters = EngineCounters()
    let gate: ReadGate
    /// Each stream keeps the newest 256 events for a slow reader.
    let events = StreamHub<Engine.Event>(.bufferingNewest(256))
    let fileNumbers: FileNumbers
    let recovery: RecoveryReport
    let spareLog: SpareLog?
    let reserve: SpaceReserve?
    let obsoleteFiles: ObsoleteFiles
    let readerClaims: ReaderClaims
    /// The state that a read-only engine shows; `nil` in an engine that was opened for writing.
    let followed: FollowedState?
    let frozen: FrozenMoments
    let lock: (any FileLock)?
    /// A copy of the manifest's catalogue, for lookups that don't wait for the manifest's syncs.
    let catalogue: Locked<Catalogue>
    let changeHub: ChangeHub
    let followers = ChangeFollowers()
    let openValueWriters = OpenValueWriters()
    /// True while the store has no log, because there was no space for one when it was opened.
    let isWithoutLog: Atomic<Bool>
    /// The number of times that an operation found no space and was done in another way.
    let shortages: ByteCounter
    /// The stored bytes that the last failed flush had written. The next attempt needs more than that.
    let flushedBeforeFailure = Atomic<UInt64>(0)
    /// Logs without batches, removed when the store has a log again.
    let idleLogs: Locked<[UInt64]>

    /// The monotonic time until which the flush of a memtable may be deferred: see ``flushDeferral(at:)``.
    let flushDeferredUntil = Atomic<UInt64>(0)
    /// The number of callers that wait for a flush.
    let flushWaiters = Atomic<Int>(0)

    /// Held while the engine closes.
    let closing = Lock()
    /// The error of a failed `close`. Under `closing`.
    var closingFailure: StorageError?

    /// Guards `manifest` and the order in which its versions become views.
    let manifestLock = Lock()
    let manifest: Manifest?

    private(set) var background: Background?

    init(_ opened: OpenedStore, options: Engine.Options, environment: EngineEnvironment) {
        self.options = options
        thresholds = ValueThresholds(options.largeValueBytes)
        self.environment = environment
        compaction = options.compactionOptions(opened.segmentEnvironment.budget)
        directories = opened.directories
        clock = opened.clock
        epochs = opened.epochs
        domain = opened.epochs.domain
        snapshots = SnapshotRegistry(domain: domain)
        segmentEnvironment = opened.segmentEnvironment
        arenas = opened.arenas
        erasures = opened.erasures
        manifest = opened.manifest
        fileNumbers = opened.fileNumbers
        recovery = opened.recovery
        spareLog = opened.spareLog
        readerClaims = ReaderClaims(owner: opened.lock, time: opened.clock.source)
        obsoleteFiles = ObsoleteFiles(
            segments: opened.directories.segments, logs: opened.directories.logs, domain: domain, claims: readerClaims)
        for number in opened.oldLogs { obsoleteFiles.addLog(number, nil) }
        for number in opened.heldOrphans.numbers {
            obsoleteFiles.addOrphan(number, before: opened.heldOrphans.next)
        }
        for number in opened.heldOrphans.values {
            obsoleteFiles.addValues(number, bytes: 0, nil, before: opened.heldOrphans.next)
        }
        frozen = FrozenMoments(opened.erasures)
        lock = opened.lock
        followed = opened.followed
        gate = ReadGate(isUnfilled: opened.followed?.batches.isPending == true)
        reserve = opened.reserve
        catalogue = Locked(opened.catalogue)
        committer = opened.committer
        isWithoutLog = Atomic(opened.recovery.isOutOfSpace)
        idleLogs = Locked(opened.idleLogs)
        shortages = opened.shortages
        changeHub = ChangeHub(committer: committer, catalogue: catalogue, clock: opened.clock)
        viewCell = ViewCell(opened.view, domain: domain)
        pacer = Pacer(time: opened.clock.source, deadline: options.stallDeadline)
        readerClaims.setBounds { [weak self] in self?.readerBounds ?? ReaderClaims.Bounds(nanoseconds: 0, bytes: 0) }
    }

    /// The bounds on what readers in other processes may keep now.
    private var readerBounds: ReaderClaims.Bounds {
        let live = viewCell.retained().version.storedBytes
        let isFull = background?.isOutOfSpace == true
        return ReaderClaims.Bounds(
            nanoseconds: min(options.readerTimeMax.nanoseconds, isFull ? ReaderClaims.fullDiskNanoseconds : .max),
            bytes: options.readerBytesMax.map { UInt64($0) } ?? max(live, 256 << 20))
    }

    /// Starts the threads. In inline mode, does all pending work instead.
    func start() throws(StorageError) {
        guard manifest != nil else { return }
        let background = Background(self)
        self.background = background
        updatePressure()
        switch environment.scheduling {
        case .threads:
            do {
                try background.startThreads()
            } catch {
                abandon()
                throw error.storageError
            }
        case .inline:
            background.report { () throws(StorageError) in try obsoleteFiles.collect() }
            do throws(StorageError) {
                try background.runInline()
            } catch {
                guard isShortage(error) else { throw error }
            }
        case .deferred: background.report { () throws(StorageError) in try obsoleteFiles.collect() }
        }
    }

    /// Returns the manifest, or throws if the store is read-only.
    func writableManifest() throws(StorageError) -> Manifest {
        guard let manifest else { throw StorageError(.readOnly, "the store was opened for reading only") }
        return manifest
    }

    /// Commits `edit` and replaces the view, as one step. Not under `committer.lock`.
    ///
    /// A failure that leaves the manifest's content unknown poisons the engine. If the edit was only refused, for lack
    /// of space, its new segments are removed and the work can be repeated.
    ///
    /// - Parameter change: Returns the next view, from the current one and the manifest's new version.
    /// - Returns: The next file number of the state before the edit.
    @discardableResult
    func install(_ edit: ManifestEdit, _ change: (View, Version) -> View) throws(StorageError) -> UInt64 {
        let manifest = try writableManifest()
        let next: UInt64
        do {
            next = try manifestLock.withLock { () throws(StorageError) in
                let next = manifest.state.nextFileNumber
                if PlantedBug.isActive(.swapLockOrder) { committer.lock.withLock {} }
                try commit(edit, to: manifest)
                viewCell.update { change($0, manifest.state.version) }
                return next
            }
        } catch {
            if manifest.hasFailed { committer.lock.withLock { committer.poison(error) } } else { discard(edit) }
            throw error
        }
        scans.removeAll()
        updatePressure()
        return next
    }

    /// Commits `edit` for a control operation, which holds `committer.lock`. A refused edit has no effect. After any
    /// other failure only reopening shows if the edit took effect.
    func installLocked(_ edit: ManifestEdit) throws(StorageError) {
        let manifest = try writableManifest()
        do {
            try manifestLock.withLock { () throws(StorageError) in try commit(edit, to: manifest) }
        } catch {
            guard manifest.hasFailed else { throw error }
            committer.poison(error)
            throw StorageError(
                .indeterminate, "the manifest failed while this operation was made durable", cause: error)
        }
    }

    /// Rewrites the manifest: see ``Engine/rewriteManifest()``.
    func rewriteManifest() throws(StorageError) {
        let manifest = try writableManifest()
        try committer.exclusively { () throws(StorageError) in
            do throws(StorageError) {
                try manifestLock.withLock { () throws(StorageError) in
                    try makeRoomForEdit()
                    try manifest.rewrite()
                }
            } catch {
                if manifest.hasFailed { committer.poison(error) }
                throw error
            }
        }
    }

    /// Removes the files of segments that `edit` would have added. If a removal fails, the file only takes space until
    /// the next open; the caller reports the error of the edit.
    private func discard(_ edit: ManifestEdit) {
        for case .segmentAdded(_, let metadata) in edit.facts {
            for name in metadata.fileNames {
                do { try directories.segments.remove(name) } catch { counters.backgroundFailures.add(1) }
            }
        }
    }

    func discardSegment(_ number: UInt64) {
        do { try directories.segments.remove(StoreLayout.segment(number)) } catch { counters.backgroundFailures.add(1) }
    }

    /// Commits `edit`. If it finds no space, releases the reserve and retries. Under `manifestLock`.
    func commit(_ edit: ManifestEdit, to manifest: Manifest) throws(StorageError) {
        try makeRoomForEdit()
        do throws(StorageError) {
            try manifest.commit(edit)
        } catch {
            guard error.code == .noSpace, !manifest.hasFailed, let reserve else { throw error }
            let isReleased: Bool
            do throws(IOFailure) { isReleased = try reserve.release() } catch { throw error.storageError }
            guard isReleased else { throw error }
            shortages.add(1)
            try manifest.commit(edit)
        }
    }

    /// True if `error` is a lack of space that has changed nothing. If a sync of the manifest fails for that reason,
    /// the manifest has failed for good because its content is unknown.
    func isShortage(_ error: StorageError) -> Bool { error.code == .noSpace && manifest?.hasFailed == false }

    func makeRoomForEdit() throws(StorageError) {
        do { try reserve?.releaseIfNeeded() } catch { throw error.storageError }
    }

    func updatePressure() {
        let view = viewCell.retained()
        // Always reserves the full size, because the cache can't shrink as fast as writers fill a memtable.
        let memtables = view.memtables.reduce(0) { $0 + max(options.memtableBytes, $1.allocatedBytes) }
        segmentEnvironment.budget.setMemtableBytes(
            max(memtables, arenas.heldBytes, (options.immutableMemtables + 1) * options.memtableBytes))
        let l0 = view.version.levels[0].segments.count
        let memtableShare = Double(view.mutable.allocatedBytes) / Double(options.memtableBytes)
        pacer.update(
            PressureInputs(
                l0Count: l0, l0Slow: options.l0SlowdownTrigger, l0Stop: options.l0StopTrigger,
                immutables: view.immutables.count, immutablesMax: options.immutableMemtables,
                fillShare: max(memtableShare, valueShare(of: view))))
    }
}
