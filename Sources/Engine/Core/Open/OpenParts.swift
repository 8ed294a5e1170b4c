import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// What every way of opening needs.
struct OpenParts {
    let directories: StoreDirectories
    let clock: EngineClock
    let epochs = EpochLease()
    let segments: SegmentEnvironment
    let arenas: ArenaPool
    let erasures = ErasureTable()
    let fileNumbers = FileNumbers(next: 1)
    /// What a log takes at most, if no batch is very large: a memtable's worth of batches, framing included.
    let logBytes: UInt64
    /// Space reserved for a log at first: two steps of its mapping.
    let firstLogBytes: UInt64
    /// What is left of that when nobody writes: two of the mapping's first, smaller steps.
    let restLogBytes: UInt64
    let mapsLogs: Bool
    /// How often there was no space for something that was then done in another way.
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
