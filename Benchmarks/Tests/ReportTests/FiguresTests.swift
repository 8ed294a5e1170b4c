import Testing

@testable import ShaleBench

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
