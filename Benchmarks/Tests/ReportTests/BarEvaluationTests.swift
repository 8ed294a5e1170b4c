import Testing

@testable import ShaleBench

struct BarEvaluationTests {
    @Test func shaleIsComparedWithItselfAtAnotherSize() {
        let figures = Figures(
            Sample.file([
                Sample.row("shale", "readrandom", perSecond: 100, entries: 10_000_000),
                Sample.row("shale", "readrandom", perSecond: 70, entries: 50_000_000),
            ]))
        let bar = Bar(
            workload: "readrandom", size: .entries(50_000_000), factor: 0.8, reference: .ours(entries: 10_000_000))
        let verdicts = BarEvaluation(figures: figures).verdicts(on: [bar])
        #expect(verdicts.map(\.value) == [0.7])
        #expect(verdicts.map(\.outcome) == [.missed])
    }

    private let lsm = Bar(workload: "fillseq", factor: 2.5, reference: .bestLSM)

    private func verdicts(
        _ bar: Bar, _ rows: [ResultRow], rooflines: [ResultRoofline] = []
    ) -> [BarVerdict] {
        BarEvaluation(figures: Figures(Sample.file(rows, rooflines: rooflines))).verdicts(on: [bar])
    }

    @Test(arguments: [(75.0, BarVerdict.Outcome.met), (74, .missed)])
    func theBetterLSMCounts(rate: Double, outcome: BarVerdict.Outcome) throws {
        let rows = [
            Sample.row("shale", "fillseq", perSecond: rate), Sample.row("leveldb", "fillseq", perSecond: 30),
            Sample.row("rocksdb", "fillseq", perSecond: 20), Sample.row("lmdb", "fillseq", perSecond: 500),
        ]
        let verdict = try #require(verdicts(lsm, rows).first)
        #expect(verdict.outcome == outcome)
        #expect(verdict.value == rate / 30)
        #expect(verdict.figures.contains("LevelDB"))
    }

    @Test(arguments: [(70.0, BarVerdict.Outcome.met), (69, .missed)])
    func aRowMayBringItsRoofline(rate: Double, outcome: BarVerdict.Outcome) throws {
        let bar = Bar(workload: "verify", size: .every, threads: 2, factor: 0.7, reference: .ownRoofline)
        var row = Sample.row("shale", "verify", perSecond: rate)
        row.threads = 2
        #expect(verdicts(bar, [row]).map(\.outcome) == [.notMeasured])
        row.rooflinePerSecond = 100
        #expect(verdicts(bar, [row]).map(\.outcome) == [outcome])
    }

    @Test func mediansDecide() throws {
        let ours = [1.0, 100, 80].enumerated().map { Sample.row("shale", "fillseq", perSecond: $1, run: $0) }
        let theirs = [10.0, 31, 1000].enumerated().map { Sample.row("leveldb", "fillseq", perSecond: $1, run: $0) }
        #expect(verdicts(lsm, ours + theirs).map(\.outcome) == [.met])
    }

    @Test func noPeerMeansNotMeasured() throws {
        let verdict = try #require(verdicts(lsm, [Sample.row("shale", "fillseq", perSecond: 30)]).first)
        #expect(verdict.outcome == .notMeasured)
        #expect(verdict.value == nil)
    }

    @Test func anotherSizeIsNotMeasuredButSaidSo() throws {
        let rows = [
            Sample.row("shale", "fillseq", perSecond: 90, entries: 1000),
            Sample.row("leveldb", "fillseq", perSecond: 30, entries: 1000),
        ]
        let verdict = try #require(verdicts(lsm, rows).first)
        #expect(verdict.outcome == .notMeasured)
        #expect(verdict.figures.contains("3.00×"))
    }

    @Test func uncompressedPeersAreBesideTheBars() {
        let rows = [
            Sample.row("shale", "fillseq", perSecond: 90), Sample.row("leveldb", "fillseq", perSecond: 30),
            Sample.row("rocksdb", "fillseq", perSecond: 80) { $0.variant = "uncompressed" },
        ]
        #expect(verdicts(lsm, rows).map(\.outcome) == [.met])
    }

    @Test func eachStateOfTheTreeHasItsVerdict() {
        let rows = ["fill", "compact"].flatMap { after in
            [("shale", after == "fill" ? 90.0 : 10), ("leveldb", 30)].map { peer, rate in
                Sample.row(peer, "fillseq", perSecond: rate) { $0.after = after }
            }
        }
        let outcomes = verdicts(lsm, rows).map { [$0.setting?.after ?? "", $0.outcome.rawValue] }
        #expect(Set(outcomes) == [["fill", "met"], ["compact", "missed"]])
    }

    @Test func rooflineOfTheSameThreads() {
        let bar = Bar(workload: "fillsync", size: .every, threads: 4, factor: 0.9, reference: .roofline("fdatasync"))
        let rooflines = [(1, 10.0), (4, 40)].map { ResultRoofline(name: "fdatasync", perSecond: $1, threads: $0) }
        let rows = [Sample.row("shale", "fillsync", perSecond: 35, threads: 4)]
        let verdict = verdicts(bar, rows, rooflines: rooflines).first
        #expect(verdict?.outcome == .missed)
        #expect(verdict?.value == 0.875)
    }

    @Test func theWorstSizeCounts() {
        let bar = Bar(
            workload: "purge", size: .every, measure: .milliseconds, relation: .atMost, factor: 5,
            reference: .constant)
        let rows = [(10, 1.0), (1000, 7), (100_000, 2)].map {
            Sample.step("shale", "purge", milliseconds: $1, entries: $0)
        }
        #expect(verdicts(bar, rows).map(\.value) == [7])
        #expect(verdicts(bar, rows).map(\.outcome) == [.missed])
    }

    @Test func growthIsHeldAgainstTheSmallestSize() {
        let bar = Bar(
            workload: "reopen", size: .every, measure: .milliseconds, relation: .atMost, factor: 2,
            reference: .smallestSize)
        let rows = [(10_000, 2.0), (10_000_000, 5)].map {
            Sample.step("shale", "reopen", milliseconds: $1, entries: $0)
        }
        #expect(verdicts(bar, rows).map(\.value) == [2.5])
        #expect(verdicts(bar, [rows[0]]).map(\.outcome) == [.notMeasured])
    }

    @Test func memoryIsHeldAgainstTheBudget() {
        let bar = Bar(
            workload: "", size: .every, threads: nil, valueBytes: nil, measure: .peakResidentBytes, relation: .atMost,
            factor: 1, reference: .memoryBudget(plus: 64))
        let rows = [(100, "a"), (165, "b")].map { bytes, workload in
            Sample.row("shale", workload, perSecond: 1) {
                $0.peakResidentBytes = bytes
                $0.memoryBudgetBytes = 100
            }
        }
        #expect(verdicts(bar, rows).map(\.outcome) == [.missed])
        #expect(verdicts(bar, [rows[0]]).map(\.outcome) == [.met])
    }

    @Test func everyBarHasAVerdictWhateverWasMeasured() {
        let none = BarEvaluation(figures: Figures(Sample.file([]))).verdicts()
        #expect(none.count == Bar.all.count)
        #expect(none.allSatisfy { $0.outcome == .notMeasured })
        #expect(BarEvaluation(figures: Figures(Sample.everything)).verdicts().count >= Bar.all.count)
    }
}
