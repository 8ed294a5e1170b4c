import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

/// Everything an open engine consists of. ``Engine`` is its public face; background threads hold on to this object.
///
/// Lock order: DESIGN.md, section 11. In short, the commit lock comes before the manifest's, both before those of view cell,
/// snapshots, frozen moments and erasure table; the lock of ``Background`` comes before the last three, and neither of the first
/// two is taken under it. No lock is held while the clock is read.
final class EngineCore: @unchecked Sendable {
    let options: EngineOptions
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
    /// Set once by `close`: ends reads.
    let isClosed = Atomic<Bool>(false)
    /// Whoever does not read keeps the newest.
    let events = StreamHub<EngineEvent>(.bufferingNewest(256))
    let fileNumbers: FileNumbers
    let recovery: RecoveryReport
    let spareLog: SpareLog?
    let reserve: SpaceReserve?
    let garbage: Garbage
    let frozen: FrozenMoments
    let lock: (any FileLock)?
    /// The manifest's catalogue, for lookups that don't wait for its syncs.
    let catalogue: Guarded<Catalogue>
    let changeHub: ChangeHub
    /// True while the store has no log, because there was no space for one when it was opened.
    let isWithoutLog: Atomic<Bool>
    /// How often there was no space for something that was then done in another way.
    let shortages: ByteCounter
    /// Stored bytes that the last flush that failed had written: another one needs more than that.
    let flushedBeforeFailure = Atomic<UInt64>(0)
    /// Logs without batches that go when there is a log again.
    let idleLogs: Guarded<[UInt64]>

    /// Callers that wait until everything is in segments.
    let flushWaiters = Atomic<Int>(0)

    /// Held while the engine closes.
    let closing = Lock()
    /// Why closing has failed. Under `closing`.
    var closingFailure: StorageError?

    /// Guards `manifest` and the order in which its versions become views.
    let manifestLock = Lock()
    let manifest: Manifest?

    private(set) var background: Background?

    init(_ opened: OpenedStore, options: EngineOptions, environment: EngineEnvironment) {
        self.options = options
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
        garbage = Garbage(
            segments: opened.directories.segments, logs: opened.directories.logs, domain: domain)
        for number in opened.oldLogs { garbage.addLog(number, nil) }
        frozen = FrozenMoments(opened.erasures)
        lock = opened.lock
        reserve = opened.reserve
        catalogue = Guarded(opened.catalogue)
        committer = opened.committer
        isWithoutLog = Atomic(opened.recovery.isOutOfSpace)
        idleLogs = Guarded(opened.idleLogs)
        shortages = opened.shortages
        changeHub = ChangeHub(committer: committer, catalogue: catalogue)
        viewCell = ViewCell(opened.view, domain: domain)
        pacer = Pacer(time: opened.clock.source, deadline: options.stallDeadline)
    }

    /// Starts the threads, or in inline mode brings the store to rest.
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
            background.report { () throws(StorageError) in try garbage.collect() }
            do throws(StorageError) {
                try background.runInline()
            } catch {
                guard isShortage(error) else { throw error }
            }
        case .deferred: background.report { () throws(StorageError) in try garbage.collect() }
        }
    }

    /// The manifest, or the error for whoever wants to change a read-only store.
    func writableManifest() throws(StorageError) -> Manifest {
        guard let manifest else { throw StorageError(.readOnly, "the store was opened for reading only") }
        return manifest
    }

    /// Commits `edit` and lets `change` derive the next view from the current one and the manifest's new version, as one step. A
    /// failure that leaves the manifest's content unknown poisons the engine; when the edit was only refused, for want of
    /// space, its new segments are removed and the work can be done again. Not under `committer.lock`.
    func install(_ edit: ManifestEdit, _ change: (View, Version) -> View) throws(StorageError) {
        let manifest = try writableManifest()
        do {
            try manifestLock.withLock { () throws(StorageError) in
                try commit(edit, to: manifest)
                viewCell.update { change($0, manifest.state.version) }
            }
        } catch {
            if manifest.hasFailed { committer.lock.withLock { committer.poison(error) } } else { discard(edit) }
            throw error
        }
        scans.removeAll()
        updatePressure()
    }

    /// The same for control operations, which hold `committer.lock`. An edit that was refused has not happened; of any
    /// other failure only reopening tells.
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

    /// See ``Engine/rewriteManifest()``.
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

    /// Removes the files of segments that `edit` would have added. One that can't be removed only takes space until the
    /// next open, and the error that led here is the one to report.
    private func discard(_ edit: ManifestEdit) {
        for case .segmentAdded(_, let metadata) in edit.facts { discardSegment(metadata.number) }
    }

    func discardSegment(_ number: UInt64) {
        do { try directories.segments.remove(StoreLayout.segment(number)) } catch { counters.backgroundFailures.add(1) }
    }

    /// Under `manifestLock`. Gives up the reserve, and tries again, if the edit finds no space.
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

    /// True if `error` is a refusal for want of space that has changed nothing. A manifest whose sync fails for that reason has
    /// failed for good: nobody can tell what it holds.
    func isShortage(_ error: StorageError) -> Bool { error.code == .noSpace && manifest?.hasFailed == false }

    func makeRoomForEdit() throws(StorageError) {
        do { try reserve?.releaseIfNeeded() } catch { throw error.storageError }
    }

    func updatePressure() {
        let view = viewCell.retained()
        // Always as much as they may need, because the cache can't give way as fast as writers fill a memtable.
        let memtables = view.memtables.reduce(0) { $0 + max(options.memtableBytes, $1.allocatedBytes) }
        segmentEnvironment.budget.setMemtableBytes(
            max(memtables, arenas.heldBytes, (options.immutableMemtables + 1) * options.memtableBytes))
        let l0 = view.version.levels[0].segments.count
        pacer.update(
            PressureInputs(
                l0Count: l0, l0Slow: options.l0SlowdownTrigger, l0Stop: options.l0StopTrigger,
                immutables: view.immutables.count, immutablesMax: options.immutableMemtables,
                fillShare: Double(view.mutable.allocatedBytes) / Double(options.memtableBytes)))
    }
}
