import Foundation
import Testing

@testable import ShaleBench

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct SummaryTests {
    private static let document =
        "# Title\n<!-- benchmarks: written by Benchmarks/publish -->\nan earlier run\n<!-- /benchmarks -->\nend\n"

    private func summary(_ rows: [ResultRow]) -> Summary { Summary(figures: Figures(Sample.file(rows))) }

    private func rows(
        _ workload: String, shale: Double, lmdb: Double, threads: Int = 1, settled: (shale: Double, lmdb: Double)? = nil
    ) -> [ResultRow] {
        [
            Sample.row("shale", workload, perSecond: shale, threads: threads) {
                $0.settledPerSecond = settled?.shale
            },
            Sample.row("leveldb", workload, perSecond: shale / 4, threads: threads),
            Sample.row("lmdb", workload, perSecond: lmdb, threads: threads) { $0.settledPerSecond = settled?.lmdb },
        ]
    }

    @Test func mainWorkloadsAreShownWithTheBestPeer() {
        let lines = summary(rows("fillseq", shale: 800_000, lmdb: 400_000)).table.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.last == "| fillseq | 800\u{A0}k/s | LMDB 400\u{A0}k/s | 2.00× |")
    }

    @Test func everyWorkloadWithAFasterPeerIsShown() {
        let behind = summary(
            rows("readhot", shale: 50, lmdb: 100) + rows("readrandom", shale: 50, lmdb: 100, threads: 2)
                + rows("ycsbd", shale: 9, lmdb: 1))
        #expect(behind.comparisons.map(\.setting.workload) == ["readhot", "readrandom"])
        #expect(behind.table.contains("| readrandom, 2 threads | 50/s | LMDB 100/s | **0.50×** |"))
    }

    @Test func workLeftBehindCounts() {
        let table = summary(rows("deleterandom", shale: 90, lmdb: 30, settled: (shale: 10, lmdb: 20))).table
        #expect(table.contains("| 3.00× (settled **0.50×**) |"))
    }

    @Test func uncompressedPeersAreNotShown() {
        let uncompressed = Sample.row("lmdb", "readhot", perSecond: 100) { $0.variant = "uncompressed" }
        #expect(summary([Sample.row("shale", "readhot", perSecond: 50), uncompressed]).comparisons.isEmpty)
    }

    @Test func theChartIsOneWellFormedFile() {
        let text = SummaryChart(Summary(figures: Figures(Sample.everything))).text
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse(), "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        #expect(text.contains("▲ fillrandom"), "a workload in which a peer was faster")
        #expect(!text.contains("href"))
    }

    @Test func thePartBetweenTheCommentsIsReplaced() throws {
        let summary = Summary(figures: Figures(Sample.everything))
        let text = try summary.replacing(in: Self.document, chart: "a.svg")
        #expect(text.hasPrefix("# Title\n<!-- benchmarks: written by Benchmarks/publish -->\n![Shale's ratio"))
        #expect(text.hasSuffix(" runs.\n<!-- /benchmarks -->\nend\n"))
        #expect(text.contains("](a.svg)") && !text.contains("an earlier run"))
        #expect(try summary.replacing(in: text, chart: "a.svg") == text)
    }

    @Test func textOfTheFileIsNeverMarkup() {
        var file = Sample.file([
            Sample.row("shale", "readhot", perSecond: 50), Sample.row("a|<b>", "readhot", perSecond: 60),
        ])
        file.machine.cpu = "<i>|"
        let summary = Summary(figures: Figures(file))
        #expect(summary.table.contains("| a\\|&lt;b> 60/s |"))
        #expect(summary.circumstances.contains("&lt;i>\\|"))
    }

    @Test func aDocumentWithoutTheCommentsIsLeftAlone() {
        #expect(throws: BenchError.self) {
            try Summary(figures: Figures(Sample.everything)).replacing(in: "# Title\n", chart: "a.svg")
        }
    }
}
