import Testing

@testable import ShaleBench

struct TerminalReportTests {
    private var lines: [String] { ReportOutput(Sample.everything).table.split(separator: "\n").map(String.init) }

    @Test func fitsIntoTheTerminal() {
        for line in lines { #expect(line.count <= TextTable.widthMax, "\(line)") }
    }

    @Test func lossesAreMarkedAndStay() {
        #expect(lines.contains { $0.hasPrefix("! LMDB") })
        #expect(lines.contains { $0.hasPrefix("fillrandom") && $0.contains("! behind LMDB") })
        #expect(!lines.contains { $0.hasPrefix("! LevelDB ") })
    }

    @Test func barsComeAfterTheTable() throws {
        let start = try #require(lines.firstIndex { $0.hasPrefix("Bars") })
        #expect(lines[..<start].contains { $0.hasPrefix("reopen") })
        #expect(lines[start...].contains { $0.contains("MISSED") })
    }

    @Test func columnsWithoutFiguresAreLeftOut() {
        let table = TextTable([
            TextTable.Column(title: "a", cells: ["1", "2"]), TextTable.Column(title: "b", cells: ["-", "-"]),
        ])
        #expect(table.lines == ["a", "1", "2"])
    }
}
