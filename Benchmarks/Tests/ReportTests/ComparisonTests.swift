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

    @Test func whatWasNotMeasuredHasNoRatio() throws {
        let comparison = try comparison([Sample.row("shale", "fillseq", perSecond: 10)])
        #expect(comparison.ratio(.perSecond, to: Contender(peer: "leveldb")) == nil)
    }
}
