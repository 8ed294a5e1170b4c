import ShaleEngine
import ShalePlatform

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
        let codecs: [EngineOptions.Compression] = [.none, .lz4, .zstd(level: 1), .zstd(level: -3)]
        let (upperCodec, lastCodec) = (any(codecs), any(codecs))
        let filters = random.chance(0.3) ? [Int](repeating: 0, count: 7) : (0..<7).map { _ in random.below(21) }
        let (immutables, threads) = (1 + random.below(4), 1 + random.below(4))
        let (maps, files, ranges) = (random.chance(0.5), any([16, 64, 512]), 1 + random.below(4))
        let scheduling = any([EngineEnvironment.Scheduling.inline, .inline, .threads])
        let name =
            "memtable \(memtable >> 10) block \(block) segment \(segment >> 10)/\(upper >> 10) base \(base >> 10) "
            + "fan-out \(fanOut) trigger \(trigger) codecs \(upperCodec)/\(lastCodec) filters \(filters) "
            + "immutables \(immutables) threads \(threads) maps \(maps) files \(files) ranges \(ranges) \(scheduling)"
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
        }
    }
}
