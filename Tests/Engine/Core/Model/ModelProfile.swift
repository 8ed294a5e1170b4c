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
    var change: @Sendable (inout EngineOptions) -> Void = { _ in }

    var description: String { name }

    var options: EngineOptions {
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
