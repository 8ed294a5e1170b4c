/// What a run measures.
struct Plan: Sendable {
    enum Preset: String, CaseIterable, Sendable {
        case quick, full
    }

    var scenarios: [Scenario]
    var repetitions: Int
    /// Whether a first round is thrown away.
    var warmsUp: Bool

    private static let engines: [PeerName] = [.shale, .leveldb, .rocksdb, .lmdb]

    init(_ preset: Preset) {
        switch preset {
        case .quick: self.init(scenarios: Plan.quick, repetitions: 1, warmsUp: false)
        case .full: self.init(scenarios: Plan.full, repetitions: 3, warmsUp: true)
        }
    }

    init(scenarios: [Scenario], repetitions: Int, warmsUp: Bool) {
        self.scenarios = scenarios
        self.repetitions = repetitions
        self.warmsUp = warmsUp
    }

    /// A million entries, each workload once.
    private static var quick: [Scenario] {
        let entries = 1_000_000
        return [
            fills(entries), syncs, main(entries), ycsb(entries),
            Scenario([.shale, .leveldb, .rocksdb], entries: 100_000, [(.crashreopen, [1])]),
            Scenario([.shale], entries: 0, [(.purge, [1]), (.drop, [1])]).sized([10, 100_000, 1_000_000])[0],
        ].map { scenario in scenario.with { $0.operationsMax = 300_000 } }
    }

    /// Two million entries and other sizes.
    private static var full: [Scenario] {
        let entries = 2_000_000
        return [fills(entries), syncs, main(entries), ycsb(entries)]
    }

    private static func fills(_ entries: Int) -> Scenario {
        Scenario(engines, entries: entries, [(.fillseq, [1]), (.fillbatch, [1])])
    }

    private static var syncs: Scenario { Scenario(engines, entries: 10_000, [(.fillsync, [1, 4, 16])]) }

    private static func main(_ entries: Int) -> Scenario {
        Scenario(
            engines, entries: entries,
            [
                (.fillrandom, [1]), (.readrandom, [1, 2]), (.readmissing, [1, 2]), (.readhot, [1]),
                (.multireadrandom, [1]), (.seekrandom, [1, 2]), (.readseq, [1]), (.readreverse, [1]),
                (.readwhilewriting, [1]), (.overwrite, [1]), (.reopen, [1]), (.compact, [1]), (.readrandom, [1]),
                (.readseq, [1]), (.deleterandom, [1]),
            ])
    }

    private static func ycsb(_ entries: Int) -> Scenario {
        let mixes: [Workload] = [.ycsba, .ycsbb, .ycsbc, .ycsbf, .ycsbd, .ycsbe]
        return Scenario(engines, entries: entries, mixes.map { ($0, [1, 2]) })
    }
}
