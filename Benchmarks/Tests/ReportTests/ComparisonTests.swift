import Testing

@testable import ShaleBench

struct ComparisonTests {
    private func comparison(_ rows: [ResultRow]) throws -> Comparison {
        try #require(Figures(Sample.file(rows)).comparisons.first)
    }

    @Test func ratioOfThroughputIsOursByTheirs() throws {
        let comparison = try comparison([
            Sample.row("shale", "fillseq", perSecond: 90), Sample.row("leveldb", "fillseq", perSecond: 30),
        ])
        #expect(comparison.ratio(.perSecond, to: Contender(peer: "leveldb")) == 3)
        #expect(comparison.losses.isEmpty)
    }

    @Test func ratioOfDurationsIsTheirsByOurs() throws {
        let comparison = try comparison([
            Sample.step("shale", "reopen", milliseconds: 4, entries: 10),
            Sample.step("lmdb", "reopen", milliseconds: 1, entries: 10),
        ])
        #expect(comparison.ratio(.milliseconds, to: Contender(peer: "lmdb")) == 0.25)
        #expect(comparison.losses.map(\.ratio) == [0.25])
    }

    @Test func medianAgainstMedian() throws {
        let ours = [10.0, 50, 20].enumerated().map { Sample.row("shale", "fillseq", perSecond: $1, run: $0) }
        let theirs = [5.0, 4, 100].enumerated().map { Sample.row("leveldb", "fillseq", perSecond: $1, run: $0) }
        #expect(try comparison(ours + theirs).ratio(.perSecond, to: Contender(peer: "leveldb")) == 4)
    }

    @Test func settledLossesCountApart() throws {
        let comparison = try comparison([
            Sample.row("shale", "fillseq", perSecond: 90) { $0.settledPerSecond = 20 },
            Sample.row("lmdb", "fillseq", perSecond: 30) { $0.settledPerSecond = 40 },
        ])
        #expect(
            comparison.losses == [
                Comparison.Loss(peer: Contender(peer: "lmdb"), measure: .settledPerSecond, ratio: 0.5)
            ])
    }

    @Test func variantsMeetTheSameVariant() throws {
        let comparison = try comparison([
            Sample.row("shale", "fillseq", perSecond: 10),
            Sample.row("shale", "fillseq", perSecond: 20) { $0.variant = "uncompressed" },
            Sample.row("leveldb", "fillseq", perSecond: 5) { $0.variant = "uncompressed" },
            Sample.row("lmdb", "fillseq", perSecond: 5),
        ])
        #expect(comparison.ratio(.perSecond, to: Contender(peer: "leveldb", variant: "uncompressed")) == 4)
        #expect(comparison.ratio(.perSecond, to: Contender(peer: "lmdb")) == 2)
    }

    @Test func ofAPeersUsualOptionsTheBetterCount() throws {
        let comparison = try comparison([
            Sample.row("shale", "fillseq", perSecond: 90), Sample.row("leveldb", "fillseq", perSecond: 30),
            Sample.row("leveldb", "fillseq", perSecond: 45) { $0.variant = "16 KiB blocks" },
            Sample.row("leveldb", "fillseq", perSecond: 99) { $0.variant = "uncompressed" },
        ])
        #expect(comparison.peers == [Contender(peer: "leveldb", variant: "16 KiB blocks")])
        let bar = Bar(workload: "fillseq", size: .every, factor: 2, reference: .bestLSM)
        let rows = comparison.series.flatMap(\.rows)
        #expect(BarEvaluation(figures: Figures(Sample.file(rows))).verdicts(on: [bar]).map(\.value) == [2])
    }

    @Test func aHandicapStandsBesideEveryName() throws {
        let comparison = try comparison([
            Sample.row("shale", "fillseq", perSecond: 9),
            Sample.row("rocksdb", "fillseq", perSecond: 10) { $0.handicap = "distribution's build" },
        ])
        #expect(comparison.peers.map(\.name) == ["RocksDB (distribution's build)"])
        #expect(comparison.lossText.hasPrefix("behind RocksDB (distribution's build) ("))
    }

    @Test func aMissingMeasurementHasNoRatio() throws {
        let comparison = try comparison([Sample.row("shale", "fillseq", perSecond: 10)])
        #expect(comparison.ratio(.perSecond, to: Contender(peer: "leveldb")) == nil)
    }
}

struct FiguresTests {
    @Test func warmUpsAreInNoMedian() throws {
        let rates: [(Int, Double)] = [(-1, 1), (0, 10), (1, 30), (2, 20)]
        let figures = Figures(
            Sample.file(rates.map { Sample.row("shale", "fillseq", perSecond: $0.1, run: $0.0) }))
        let series = try #require(figures.comparisons.first?.series.first)
        #expect(series.rows.map(\.run) == [0, 1, 2])
        #expect(series.median(.perSecond) == 20)
        #expect(figures.warmUpCount == 1)
    }

    @Test func rowsThatDifferInTheirSettingAreNotCompared() {
        let rows = [
            Sample.row("shale", "readrandom", perSecond: 1),
            Sample.row("shale", "readrandom", perSecond: 1, threads: 2),
            Sample.row("shale", "readrandom", perSecond: 1, entries: 10),
            Sample.row("shale", "readrandom", perSecond: 1) { $0.after = "compact" },
            Sample.row("shale", "readrandom", perSecond: 1) { $0.valueBytes = 1024 },
            Sample.row("shale", "readrandom", perSecond: 1) { $0.paced = ResultPace(ratePerSecond: 5) },
        ]
        #expect(Figures(Sample.file(rows)).comparisons.count == rows.count)
    }

    @Test func contendersHaveAFixedOrder() {
        let peers = ["zeta", "lmdb", "rocksdb", "shale", "leveldb"]
        let figures = Figures(Sample.file(peers.map { Sample.row($0, "fillseq", perSecond: 1) }))
        #expect(figures.contenders.map(\.peer) == ["shale", "leveldb", "rocksdb", "lmdb", "zeta"])
    }

    @Test func theTypicalRepetitionIsTheMiddleOne() {
        let rows = [30.0, 10, 20].enumerated().map { Sample.row("shale", "fillseq", perSecond: $1, run: $0) }
        let series = Series(contender: Contender(peer: "shale"), rows: rows)
        #expect(series.typical?.perSecond == 20)
    }
}

struct SpreadTests {
    @Test func medianOfOddAndEvenCounts() throws {
        #expect(try #require(Spread([5, 1, 3])).median == 3)
        #expect(try #require(Spread([4, 1, 3, 2])).median == 2.5)
    }

    @Test func keepsTheEnds() throws {
        let spread = try #require(Spread([10, 7, 12]))
        #expect(spread.min == 7)
        #expect(spread.max == 12)
        #expect(spread.deviation == 0.3)
    }

    @Test func oneRepetitionSaysNothingAboutSpread() throws {
        #expect(try #require(Spread([10])).deviation == nil)
    }

    @Test func nothingMeasuredHasNoMedian() {
        #expect(Spread([]) == nil)
        #expect(Spread([.nan]) == nil)
    }
}
