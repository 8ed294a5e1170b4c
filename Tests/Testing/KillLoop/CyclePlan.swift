import ShaleEngine
import ShalePlatform

/// The plan of one cycle, drawn from its seed: each process computes it independently.
struct CyclePlan {
    /// The moment of the kill.
    enum Moment {
        /// This long after the start: mostly while the child opens the store.
        case afterStart(microseconds: UInt32)
        /// This long after this number of acknowledgements.
        case afterAcknowledgements(Int, microseconds: UInt32)
    }

    static let writersMax = 8

    let seed: UInt64
    let writers: Int
    let options: Engine.Options
    /// The number of actions of each writer after which the child closes the store itself. Mostly it is killed long
    /// before.
    let actionsMax: Int
    let moment: Moment
    /// The checks that the parent makes after the kill.
    let readsOnlyFirst: Bool
    let verifies: Bool
    let readsOtherWays: Bool
    let reopens: Bool
    let closes: Bool
    let checkOptions: Engine.Options

    init(seed: UInt64) {
        self.seed = seed
        let random = SeededRandom(seed: seed)
        writers = 1 + random.below(CyclePlan.writersMax)
        options = Engine.Options.random(seed: random.next())
        checkOptions = Engine.Options.random(seed: random.next())
        actionsMax = random.chance(0.1) ? 1 + random.below(100) : .max
        let delay = UInt32(random.below(3000))
        moment =
            random.chance(0.2)
            ? .afterStart(microseconds: UInt32(random.below(20_000)))
            : .afterAcknowledgements(1 << random.below(11) + random.below(20), microseconds: delay)
        readsOnlyFirst = random.chance(0.2)
        verifies = random.chance(0.25)
        readsOtherWays = random.chance(0.3)
        reopens = random.chance(0.2)
        closes = random.chance(0.5)
    }

    static func checkpointPath(_ store: String, writer: Int, action: Int) -> String {
        "\(store)-copy-\(writer)-\(action)"
    }
}

extension Engine.Options {
    /// Returns options for one opening, so small that a few hundred batches rotate, flush and compact.
    ///
    /// The bounds of what is kept for readers stay the default: beyond them a ``LiveReader`` may miss changes.
    static func random(seed: UInt64) -> Engine.Options {
        let random = SeededRandom(seed: seed)
        var options = Engine.Options()
        options.memtableBytes = [64, 64, 100, 256, 1024][random.below(5)] << 10
        options.memoryBudget = [8, 12, 32][random.below(3)] << 20
        options.immutableMemtables = 1 + random.below(4)
        options.blockBytes = [1, 2, 4, 16][random.below(4)] << 10
        options.upperSegmentBytes = [16, 64, 256][random.below(3)] << 10
        options.segmentBytes = [64, 256, 1024][random.below(3)] << 10
        options.baseLevelBytes = [64, 256, 1024][random.below(3)] << 10
        options.fanOut = 4 + random.below(7)
        options.upperCompression = compression(random)
        options.lastCompression = compression(random)
        options.filterBitsPerKey = random.chance(0.2) ? [0, 0, 0, 0, 0, 0, 0] : options.filterBitsPerKey
        options.l0CompactionTrigger = 1 + random.below(4)
        options.compactionThreads = 1 + random.below(3)
        options.openFileLimit = random.chance(0.3) ? 16 : 512
        options.mapsLogs = random.chance(0.6)
        options.durability = random.chance(0.1) ? .synced : .buffered
        options.syncInterval = [nil, .milliseconds(10), .milliseconds(50), .seconds(1)][random.below(4)]
        options.dictionaryDataBytesMin = random.chance(0.5) ? 16 << 10 : 4 << 20
        options.manualCompactionThreads = 1 + random.below(4)
        options.splitsBlocks = [.never, .automatic, .always][random.below(3)]
        options.mapsSegments = random.chance(0.5)
        return options
    }

    private static func compression(_ random: SeededRandom) -> Compression {
        [.none, .lz4, .zstd(level: 1), .zstd(level: -3)][random.below(4)]
    }
}
