/// The scenarios that a run measures.
struct Plan: Sendable {
    enum Preset: String, CaseIterable, Sendable {
        case quick, full, large, huge, values, records
    }

    var scenarios: [Scenario]
    var repetitions: Int
    /// True if the first round is discarded as a warm-up.
    var warmsUp: Bool

    init(_ preset: Preset) {
        switch preset {
        case .quick: self.init(scenarios: Plan.quick, repetitions: 1, warmsUp: false)
        case .full: self.init(scenarios: Plan.full, repetitions: 4, warmsUp: true)
        case .large: self.init(scenarios: Plan.large, repetitions: 2, warmsUp: false)
        case .huge: self.init(scenarios: Plan.huge, repetitions: 2, warmsUp: false)
        case .values: self.init(scenarios: Plan.values, repetitions: 3, warmsUp: false)
        case .records: self.init(scenarios: [Plan.records(100_000)], repetitions: 3, warmsUp: true)
        }
    }

    init(scenarios: [Scenario], repetitions: Int, warmsUp: Bool) {
        self.scenarios = scenarios
        self.repetitions = repetitions
        self.warmsUp = warmsUp
    }

    /// A million entries, more than a write buffer holds; each workload once.
    private static var quick: [Scenario] {
        let entries = 1_000_000
        let scenarios = [
            fills(entries), syncs, random(entries), ycsb(entries, threads: [1]), typed(10_000, typedPeers),
            records(100_000), layers(10_000), documents(100_000),
            Scenario(logs, entries: 100_000, [(.crashreopen, [1])]),
        ]
        return (scenarios + erasures([10, 100_000])).map { scenario in scenario.with { $0.operationsMax = 200_000 } }
    }

    /// Two million entries, repeated. Also, once each: ten million entries, other sizes of values and stores, and other
    /// options.
    private static var full: [Scenario] {
        let entries = 2_000_000
        let repeated =
            [fills(entries), syncs] + [random(entries), ycsb(entries, threads: [1, 2])].with(.largeBlocks)
            + [typed(10_000, typedPeers)].with(.queue)
        let quickly = [.shale, .lmdb, .rocksdb, .leveldb] + [PeerName.sqlite]
        let sizes =
            Scenario(quickly, entries: 0, [(.fillrandom, [1]), (.readrandom, [1]), (.reopen, [1])])
            .sized([10_000, 100_000]) + sustained.with(.largeBlocks)
        let values = [(1024, 300_000), (4096, 100_000), (16_384, 30_000), (65_536, 8000), (262_144, 2000)].map {
            valueBytes, entries in
            Scenario(
                engines, entries: entries,
                [(.fillrandom, [1]), (.readrandom, [1]), (.readseq, [1]), (.overwrite, [1])]
            ).with { $0.valueBytes = valueBytes }
        }
        let options = [PeerSettings.Variant.uncompressed, .zstd].map { variant in
            Scenario(logs, entries: entries, [(.fillrandom, [1]), (.readrandom, [1]), (.readseq, [1])])
                .with { $0.variant = variant }
        }
        let namespaces = Scenario([.shale, .lmdb, .rocksdb], entries: 0, [(.namespaces, [1])])
            .sized([1, 10, 100, 1000, 10_000]).map { scenario in scenario.with { $0.operationsMax = 100_000 } }
            .with(.prefixes)
        let others =
            [
                Scenario(engines, entries: entries / 2, [(.fillpaced, [1])]),
                Scenario(engines, entries: 200_000, [(.crashreopen, [1])]),
                typed(entries / 2, [.shale, .leveldb, .rocksdb, .lmdb, .sqlite, .grdb]),
                layers(10_000), layers(entries / 2), documents(entries / 2),
            ] + [records(entries / 2)].with(.queue)
        let offline = [(100, entries), (1024, entries / 2)].map { valueBytes, entries in
            Scenario([.shale], entries: entries, [(.compact, [1]), (.verify, [2]), (.dump, [1]), (.load, [1])])
                .with { $0.valueBytes = valueBytes }
        }
        let once =
            sizes + values + options + others + offline + namespaces
            + erasures([10, 1000, 100_000, 1_000_000, 10_000_000])
        return repeated.map { scenario in scenario.with { $0.operationsMax = 400_000 } }
            + once.map { scenario in
                scenario.with {
                    $0.operationsMax = min($0.operationsMax, 400_000)
                    $0.repetitionsMax = 2
                }
            }
    }

    /// Ten and fifty million entries under a budget that holds a fraction of them; with the memory of the process
    /// limited too; and from the device.
    private static var large: [Scenario] {
        let reads: [(Workload, [Int])] = [
            (.readrandom, [1, 2]), (.readmissing, [1, 2]), (.seekrandom, [1, 2]), (.readseq, [1]), (.readcold, [1]),
            (.scancold, [1]),
        ]
        let mixes: [Workload] = [.ycsba, .ycsbb, .ycsbc, .ycsbf, .ycsbd, .ycsbe]
        let uniform: [Workload] = [
            .ycsbauniform, .ycsbbuniform, .ycsbcuniform, .ycsbfuniform, .ycsbduniform, .ycsbeuniform,
        ]
        let limited = Scenario(engines, entries: 10_000_000, [(.fillrandom, [1]), (.readrandom, [1]), (.ycsbb, [1])])
            .with { $0.memoryLimit = 768 << 20 }
        let scenarios = [
            Scenario(engines, entries: 0, [(.fillrandom, [1])] + reads),
            Scenario(engines, entries: 0, (mixes + uniform).map { ($0, [1]) }),
        ]
        return (scenarios.flatMap { $0.sized([10_000_000, 50_000_000]) } + [limited])
            .map { scenario in scenario.with { $0.memoryBudget = 256 << 20 } }
            .with(.largeBlocks, .splitBlocks, .unmapped)
    }

    /// A hundred million entries under the same budget.
    private static var huge: [Scenario] {
        let steps: [(Workload, [Int])] = [
            (.fillrandom, [1]), (.readrandom, [1, 2]), (.readmissing, [1]), (.seekrandom, [1]), (.readseq, [1]),
            (.readcold, [1]), (.reopen, [1]),
        ]
        return [Scenario(engines, entries: 100_000_000, steps).with { $0.memoryBudget = 256 << 20 }]
            .with(.largeBlocks, .splitBlocks, .unmapped)
    }

    /// Large values: as many as fit the cache, and a store three times as large as the cache.
    private static var values: [Scenario] {
        let steps: [Workload] = [.fillrandom, .readrandom, .overwrite, .overwrite, .readrandom]
        let beyond: [Workload] = [.fillrandom, .readrandom]
        let sizes = [(4096, 100_000), (16_384, 30_000), (65_536, 8000)]
        let scenarios = sizes.flatMap { valueBytes, entries in
            [
                Scenario([.shale, .rocksdb, .lmdb], entries: entries, steps.map { ($0, [1]) }),
                Scenario([.shale, .rocksdb, .lmdb], entries: 3 * entries, beyond.map { ($0, [1]) }),
            ].map { scenario in scenario.with { $0.valueBytes = valueBytes } }
        }
        return scenarios.with(.valueFiles)
    }

    /// The peers for workloads on bytes, and the log-structured ones among them.
    private static let engines: [PeerName] = [.shale, .leveldb, .rocksdb, .lmdb]
    private static let logs: [PeerName] = [.shale, .leveldb, .rocksdb]
    private static let typedPeers = PeerName.allCases

    private static func fills(_ entries: Int) -> Scenario {
        Scenario(engines, entries: entries, [(.fillseq, [1]), (.fillbatch, [1])])
    }

    private static var syncs: Scenario { Scenario(engines, entries: 10_000, [(.fillsync, [1, 4, 16])]) }

    private static func random(_ entries: Int) -> Scenario {
        Scenario(
            engines, entries: entries,
            [
                (.fillrandom, [1]), (.readrandom, [1, 2]), (.readmissing, [1, 2]), (.readhot, [1]),
                (.multireadrandom, [1]), (.seekrandom, [1, 2]), (.readseq, [1]), (.readreverse, [1]),
                (.readwhilewriting, [1]), (.overwrite, [1]), (.reopen, [1]), (.compact, [1]), (.readrandom, [1]),
                (.readseq, [1]), (.deleterandom, [1]),
            ])
    }

    private static func ycsb(_ entries: Int, threads: [Int]) -> Scenario {
        let mixes: [Workload] = [.ycsba, .ycsbb, .ycsbc, .ycsbf, .ycsbd, .ycsbe]
        return Scenario(engines, entries: entries, mixes.map { ($0, threads) })
    }

    private static func typed(_ entries: Int, _ peers: [PeerName]) -> Scenario {
        Scenario(
            peers, entries: entries, [(.typedset, [1]), (.typedupdate, [1]), (.typedget, [1]), (.typedopen, [1])])
    }

    private static func records(_ entries: Int) -> Scenario {
        let steps: [Workload] = [
            .recordinsert, .recordbatch, .recordfind, .recordrange, .recordmodify, .recordcount, .recordopen,
            .recordindex,
        ]
        return Scenario([.shale, .sqlite, .grdb], entries: entries, steps.map { ($0, [1]) })
    }

    private static func layers(_ entries: Int) -> Scenario {
        Scenario([.shale], entries: entries, [(.typedcalls, [1]), (.jsoncalls, [1]), (.observers, [1])])
    }

    private static func documents(_ entries: Int) -> Scenario {
        Scenario([.shale], entries: entries, [(.dictionaries, [1])])
    }

    /// A sustained load, and a store larger than the caches.
    private static var sustained: [Scenario] {
        let reads: [(Workload, [Int])] = [
            (.readrandom, [1]), (.readmissing, [1]), (.seekrandom, [1]), (.readseq, [1]), (.reopen, [1]),
        ]
        return [Scenario(engines, entries: 10_000_000, [(.fillrandom, [1])] + reads)]
    }

    /// Erasures, whose cost must not grow with what is erased. Large sizes only include peers that fill quickly enough.
    private static func erasures(_ sizes: [Int]) -> [Scenario] {
        let peers = Scenario(engines, entries: 0, [(.drop, [1])]).sized(sizes.filter { $0 <= 1_000_000 })
        let large = Scenario([.shale], entries: 0, [(.drop, [1])]).sized(sizes.filter { $0 > 1_000_000 })
        return peers + large + Scenario([.shale], entries: 0, [(.purge, [1])]).sized(sizes)
    }
}

/// Workloads that share a store, for several peers. One child process measures them for one peer.
struct Scenario: Sendable {
    var peers: [PeerName]
    var variant = PeerSettings.Variant.standard
    var valueBytes = 100
    var entries: Int
    var operationsMax = 1_000_000
    /// See ``PeerSettings/memoryBudget``.
    var memoryBudget: Int?
    /// The maximum of memory for the process, page cache included; `nil` without a limit.
    var memoryLimit: Int?
    /// The maximum of repetitions, for slow scenarios; `nil` for as many as the run has.
    var repetitionsMax: Int?
    var steps: [Assignment.Step]

    init(_ peers: [PeerName], entries: Int, _ steps: [(Workload, [Int])]) {
        self.peers = peers
        self.entries = entries
        self.steps = steps.flatMap { workload, threads in
            threads.map { Assignment.Step(workload: workload, threads: $0) }
        }
    }

    var subject: Workload.Subject { steps.first?.workload.subject ?? .bytes }

    /// Returns the scenario in each of several sizes.
    func sized(_ sizes: [Int]) -> [Scenario] {
        sizes.map { size in
            var scenario = self
            scenario.entries = size
            return scenario
        }
    }

    func with(_ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = self
        change(&scenario)
        return scenario
    }
}

extension [Scenario] {
    /// Returns the scenarios, and again with each of other options for the peers that have them.
    fileprivate func with(_ variants: PeerSettings.Variant...) -> [Scenario] {
        self + variants.flatMap { variant in map { scenario in scenario.with { $0.variant = variant } } }
    }
}
