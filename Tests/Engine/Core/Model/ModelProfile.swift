import ShaleEngine
import ShalePlatform

/// A configuration of the model: the shape of the store and its keys, and the scheduling of background work.
struct ModelProfile: Sendable, CustomStringConvertible {
    var name: String
    var numberedKeys = 400
    var hasAwkwardKeys = true
    /// The maximum of namespaces alive at one time.
    var slots = 4
    var liveSnapshots = 4
    /// True if a power loss may lose what was not synced; how much depends on the options.
    var losesPower = true
    var scheduling = EngineEnvironment.Scheduling.inline
    var change: @Sendable (inout Engine.Options) -> Void = { _ in }

    var description: String { name }

    var options: Engine.Options {
        var options = TestStore.smallOptions
        options.compactionThreads = 2
        change(&options)
        return options
    }

    static let all: [ModelProfile] = [
        ModelProfile(name: "small"),
        ModelProfile(name: "plain") {
            $0.upperCompression = .none
            $0.lastCompression = .none
            $0.filterBitsPerKey = [Int](repeating: 0, count: 7)
            $0.l0CompactionTrigger = 2
        },
        ModelProfile(name: "zstd", numberedKeys: 1500) {
            $0.upperCompression = .zstd(level: 1)
            $0.lastCompression = .zstd(level: 3)
            $0.dictionaryDataBytesMin = 16 << 10
            $0.blockBytes = 4 << 10
            $0.filterBitsPerKey = [20, 20, 1, 1, 1, 2, 3]
            $0.l0CompactionTrigger = 1
        },
        ModelProfile(name: "split", numberedKeys: 1500) {
            $0.splitsBlocks = .always
            $0.dictionaryDataBytesMin = 16 << 10
            $0.blockBytes = 4 << 10
            $0.l0CompactionTrigger = 2
        },
        ModelProfile(name: "values") {
            $0.largeValueBytes = 64
            $0.l0CompactionTrigger = 2
        },
        ModelProfile(name: "value files", scheduling: .threads) { $0.largeValueBytes = 300 },
        ModelProfile(name: "hot", numberedKeys: 10, slots: 2, liveSnapshots: 12),
        ModelProfile(name: "wide", numberedKeys: 9000, slots: 2) {
            $0.memtableBytes = 256 << 10
            $0.upperCompression = .lz4
            $0.lastCompression = .lz4
        },
        ModelProfile(name: "large", numberedKeys: 1000) {
            $0.memtableBytes = 2 << 20
            $0.memoryBudget = 32 << 20
            $0.blockBytes = 16 << 10
            $0.segmentBytes = 1 << 20
            $0.upperSegmentBytes = 256 << 10
            $0.baseLevelBytes = 1 << 20
            $0.fanOut = 10
        },
        ModelProfile(name: "threads", scheduling: .threads),
        ModelProfile(name: "many threads", numberedKeys: 2000, liveSnapshots: 8, scheduling: .threads) {
            $0.compactionThreads = 4
            $0.l0CompactionTrigger = 1
            $0.immutableMemtables = 4
        },
    ]
}

extension ModelProfile {
    /// Draws options that the engine accepts and that make a small store rotate, flush and compact. Also draws the
    /// scheduling of background work.
    static func drawn(_ random: SeededRandom) -> ModelProfile {
        func any<Choice>(_ choices: [Choice]) -> Choice { choices[random.below(choices.count)] }
        let memtable = (64 << 10) << random.below(5)
        let block = 1024 << random.below(6)
        let (segment, upper) = ((64 << 10) << random.below(5), (16 << 10) << random.below(6))
        let base = (64 << 10) << random.below(4)
        let (fanOut, trigger) = (4 + random.below(9), 1 + random.below(8))
        let codecs: [Engine.Options.Compression] = [.none, .lz4, .zstd(level: 1), .zstd(level: -3)]
        let (upperCodec, lastCodec) = (any(codecs), any(codecs))
        let filters = random.chance(0.3) ? [Int](repeating: 0, count: 7) : (0..<7).map { _ in random.below(21) }
        let (immutables, threads) = (1 + random.below(4), 1 + random.below(4))
        let (maps, files, ranges) = (random.chance(0.5), any([16, 64, 512]), 1 + random.below(4))
        let splits = any([Engine.Options.Splitting.never, .automatic, .always])
        let large = any([0, 0, 64, 400, 5000])
        let valueFile = (64 << 10) << random.below(6)
        let scheduling = any([EngineEnvironment.Scheduling.inline, .inline, .threads])
        let name =
            "memtable \(memtable >> 10) block \(block) segment \(segment >> 10)/\(upper >> 10) base \(base >> 10) "
            + "fan-out \(fanOut) trigger \(trigger) codecs \(upperCodec)/\(lastCodec) filters \(filters) "
            + "immutables \(immutables) threads \(threads) maps \(maps) files \(files) ranges \(ranges) "
            + "splits \(splits) large \(large)/\(valueFile >> 10) \(scheduling)"
        return ModelProfile(name: name, losesPower: false, scheduling: scheduling) {
            $0.memtableBytes = memtable
            $0.memoryBudget = max(8 << 20, 8 * memtable)
            $0.blockBytes = block
            $0.segmentBytes = segment
            $0.upperSegmentBytes = upper
            $0.baseLevelBytes = base
            $0.fanOut = fanOut
            $0.l0CompactionTrigger = trigger
            $0.upperCompression = upperCodec
            $0.lastCompression = lastCodec
            $0.filterBitsPerKey = filters
            $0.immutableMemtables = immutables
            $0.compactionThreads = threads
            $0.manualCompactionThreads = ranges
            $0.mapsLogs = maps
            $0.openFileLimit = files
            $0.splitsBlocks = splits
            $0.largeValueBytes = large
            $0.valueFileBytes = valueFile
        }
    }
}
