import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

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
    /// The number of times that an operation found no space and was done in another way.
    let shortages = ByteCounter()

    init(_ options: EngineOptions, _ environment: EngineEnvironment, _ directories: StoreDirectories) {
        clock = EngineClock(options.time)
        arenas = ArenaPool(capacity: options.memtableBytes, keptMax: options.immutableMemtables + 1)
        segments = SegmentEnvironment(
            memoryBudget: options.memoryBudget, openFileLimit: options.openFileLimit, domain: epochs.domain,
            bufferFloorBytes: min((options.compactionThreads + 1) * (4 << 20), options.memoryBudget / 16))
        self.directories = directories.sparing(segments.files)
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
        _ lock: (any FileLock)?, _ catalogue: Catalogue, oldLogs: [UInt64] = [], idleLogs: [UInt64] = []
    ) -> OpenedStore {
        var report = report
        report.clockDoubt = clock.doubt
        report.discardedClockMilliseconds = clock.discardedAtOpening
        return OpenedStore(
            directories: directories, clock: clock, epochs: epochs, segmentEnvironment: segments, arenas: arenas,
            erasures: erasures,
            manifest: manifest, fileNumbers: fileNumbers, recovery: report, spareLog: spare, reserve: reserve,
            committer: committer,
            view: view, lock: lock, catalogue: catalogue, oldLogs: oldLogs,
            idleLogs: idleLogs, shortages: shortages)
    }
}
