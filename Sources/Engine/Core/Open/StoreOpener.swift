public import ShaleBase
import ShaleCompaction
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// The parts that every kind of opening needs.
struct OpenParts {
    let directories: StoreDirectories
    let clock: EngineClock
    let epochs = EpochLease()
    let segments: SegmentEnvironment
    let arenas: ArenaPool
    let erasures = ErasureTable()
    let fileNumbers = FileNumbers(next: 1)
    /// The most space that a log takes, unless a batch is very large: a memtable's worth of batches, including framing.
    let logBytes: UInt64
    /// The space reserved for a log at first: two steps of its mapping.
    let firstLogBytes: UInt64
    /// The space that an idle store keeps: two of the mapping's first, smaller steps.
    let restLogBytes: UInt64
    let mapsLogs: Bool
    /// The place of large values, and of new ones.
    let values: ValueSource
    let separation: ValueSeparation
    /// True if the logs may have references from the first one on.
    let logsMayHaveReferences: Bool
    /// The number of times that an operation found no space and was done in another way.
    let shortages = ByteCounter()

    init(_ options: Engine.Options, _ environment: EngineEnvironment, _ directories: StoreDirectories) {
        clock = EngineClock(options.time)
        arenas = ArenaPool(capacity: options.memtableBytes, keptMax: options.immutableMemtables + 1)
        segments = SegmentEnvironment(
            memoryBudget: options.memoryBudget, openFileLimit: options.openFileLimit, domain: epochs.domain,
            bufferFloorBytes: min((options.compactionThreads + 1) * (4 << 20), options.memoryBudget / 16),
            isBesideOwner: options.mode == .readOnly,
            // The owner may cut a file that a reader beside it still has. A read from a mapping would end the process.
            mapsFiles: options.mapsSegments && options.mode != .readOnly, time: options.time)
        self.directories = directories.retrying(segments.files)
        values = ValueSource(segments.values, in: self.directories.segments)
        separation = ValueSeparation(fileBytesMax: UInt64(options.valueFileBytes), source: values)
        logsMayHaveReferences = options.largeValueBytes > 0
        segments.budget.setMemtableBytes(options.memtableBytes)
        mapsLogs = options.mapsLogs
        logBytes = UInt64(options.memtableBytes + options.memtableBytes / 32 + (64 << 10))
        firstLogBytes = min(4 << 20, logBytes)
        restLogBytes = min(512 << 10, logBytes)
    }

    var makeSegment: (SegmentMetadata) -> Segment {
        { [directories, segments] in
            Segment(metadata: $0, directory: directories.segments, environment: segments)
        }
    }

    func opened(
        _ view: View, _ committer: Committer, _ manifest: Manifest?, _ spare: SpareLog?,
        _ reserve: SpaceReserve?, _ report: RecoveryReport,
        _ lock: (any FileLock)?, _ catalogue: Catalogue, oldLogs: [UInt64] = [], idleLogs: [UInt64] = [],
        heldOrphans: HeldOrphans = HeldOrphans(), erasures: ErasureTable? = nil, followed: FollowedState? = nil
    ) -> OpenedStore {
        var report = report
        report.clockDoubt = clock.doubt
        report.discardedClock = .milliseconds(clock.discardedAtOpening)
        return OpenedStore(
            directories: directories, clock: clock, epochs: epochs, segmentEnvironment: segments, arenas: arenas,
            erasures: erasures ?? self.erasures,
            manifest: manifest, fileNumbers: fileNumbers, recovery: report, spareLog: spare, reserve: reserve,
            committer: committer,
            view: view, lock: lock, catalogue: catalogue, oldLogs: oldLogs,
            idleLogs: idleLogs, heldOrphans: heldOrphans, followed: followed, shortages: shortages)
    }
}

/// Segments that the opening found, that no state names any more, and that a reader in another process may hold.
struct HeldOrphans {
    var numbers: [UInt64] = []
    /// Value files that may be held.
    var values: [UInt64] = []
    /// The next file number of the state that was read.
    var next: UInt64 = 0
}

/// The result of opening: all parts of ``EngineCore``.
struct OpenedStore {
    let directories: StoreDirectories
    let clock: EngineClock
    let epochs: EpochLease
    let segmentEnvironment: SegmentEnvironment
    let arenas: ArenaPool
    let erasures: ErasureTable
    let manifest: Manifest?
    let fileNumbers: FileNumbers
    let recovery: RecoveryReport
    let spareLog: SpareLog?
    let reserve: SpaceReserve?
    let committer: Committer
    let view: View
    let lock: (any FileLock)?
    let catalogue: Catalogue
    /// Logs that are not needed any more.
    let oldLogs: [UInt64]
    /// Logs without batches that are needed until all replayed entries are in segments.
    let idleLogs: [UInt64]
    let heldOrphans: HeldOrphans
    /// The state of a read-only store; `nil` in one that was opened for writing.
    let followed: FollowedState?
    let shortages: ByteCounter
}

/// Opens or creates a store.
///
/// Everything needed is read and checked before anything is changed, so a failed open leaves every byte as it was.
/// Opening reads no data block.
///
/// The content of the logs is flushed before it is served. It may never have been synced, and entries that an open has
/// shown must stay (contract D-4).
struct StoreOpener {
    let path: String
    let options: Engine.Options
    let environment: EngineEnvironment

    func open() throws(StorageError) -> OpenedStore {
        let mayCreate = options.mode == .createIfMissing
        let root: any Directory
        do {
            root = try environment.fileSystem.openDirectory(path, create: mayCreate)
        } catch {
            if error.isMissing { throw StorageError(.missing, "there is no store", file: path, cause: error) }
            throw error.storageError
        }
        // Checked before taking the lock, whose file would be the first file that an open creates.
        if try !isStore(root), !mayCreate {
            throw StorageError(.missing, "the directory holds no store", file: path)
        }
        if options.mode == .readOnly { return try openBesideWriter(root) }
        let lock = try takeLock(root)
        if try isStore(root) { return try openExisting(root, lock) }
        guard mayCreate else { throw StorageError(.missing, "the directory holds no store", file: path) }
        // Another process may have created the directory, or an opening that died before it synced the parent.
        do { try environment.fileSystem.syncNames(above: path) } catch { throw error.storageError }
        return try create(root, lock)
    }

    private func takeLock(_ root: any Directory) throws(StorageError) -> any FileLock {
        do {
            return try root.lock(StoreLayout.lock)
        } catch {
            guard error.isWouldBlock else { throw error.neededFileError }
            let holder = root.lockHolder(StoreLayout.lock).map { " by \($0)" } ?? ""
            throw StorageError(.locked, "the store is in use\(holder)", file: StoreLayout.lock, cause: error)
        }
    }

    /// The number of the manifest that creation writes before CURRENT exists. Every opening begins a later one.
    static let firstFileNumber: UInt64 = 1

    /// True if CURRENT exists.
    ///
    /// Data files without CURRENT are a damaged store, never an empty one. So is a manifest that only an opened store
    /// can have. The first manifest alone remains from a creation that died before its last step.
    private func isStore(_ root: any Directory) throws(StorageError) -> Bool {
        var isOrphaned = false
        do throws(IOFailure) {
            if try root.exists(StoreLayout.current) { return true }
            let names = try root.list()
            isOrphaned = names.contains { StoreLayout.manifestNumber($0) ?? 0 > StoreOpener.firstFileNumber }
            for directory in [StoreLayout.segmentDirectory, StoreLayout.logDirectory] where names.contains(directory) {
                let files = try root.openDirectory(directory, create: false).list()
                isOrphaned = isOrphaned || files.contains { isDataFile($0) }
            }
        } catch {
            throw error.storageError
        }
        guard !isOrphaned else {
            throw .corruption(
                "CURRENT is missing although the directory holds files of a store: no empty store is created",
                file: StoreLayout.current, offset: 0)
        }
        return false
    }

    private func isDataFile(_ name: String) -> Bool {
        StoreLayout.segmentNumber(name) != nil || StoreLayout.logNumber(name) != nil
            || StoreLayout.valuesNumber(name) != nil
    }
}

/// The result of opening a store. After a clean close there is nothing to report, unless the wall clock has jumped.
public struct RecoveryReport: Sendable, Equatable {
    /// The number of batches that were in logs and not yet in segments.
    public internal(set) var replayedBatches: UInt64 = 0
    /// The number of bytes of those batches in the logs.
    public internal(set) var replayedBytes: UInt64 = 0
    /// The number of bytes at the logs' ends that were torn or followed a torn log.
    ///
    /// They were never acknowledged as synced.
    public internal(set) var droppedBytes: UInt64 = 0
    /// The last sequence in the store.
    public internal(set) var lastSequence: SequenceNumber = 0
    /// The number of unreferenced files that were removed.
    public internal(set) var removedFiles = 0
    /// The number of unreferenced files that could not be removed. The next open tries again.
    public internal(set) var unremovedFiles = 0
    /// True if the disk had no space for the files that opening writes.
    ///
    /// The store then serves the logs' content from memory, and writes throw `.noSpace` until there is space: see
    /// ``Engine/Statistics/isOutOfSpace``.
    public internal(set) var isOutOfSpace = false
    /// The reading of the wall clock that contradicts the store's time and is not accepted yet; `nil` if there is no
    /// contradiction.
    public internal(set) var clockDoubt: ClockDoubt?
    /// The duration by which opening set the store's time back, because an earlier reading of the wall
    /// clock turned out to be wrong; zero if it did not.
    public internal(set) var discardedClock: Duration = .zero
    /// True if the text of LOCK, which names the process that holds the store, could not be written.
    ///
    /// The store is locked nevertheless, but another opener does not learn the process.
    public internal(set) var isHolderUnnamed = false
    /// True if users other than its owner have access to the store's directory.
    ///
    /// Opening does not change the directory's mode.
    public internal(set) var isOpenToOthers = false
}
