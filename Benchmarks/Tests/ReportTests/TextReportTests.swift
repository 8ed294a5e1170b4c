import Testing

@testable import ShaleBench

struct CSVReportTests {
    @Test func golden() {
        let rows = [
            Sample.row("shale", "fillrandom", perSecond: 4, run: -1, entries: 1) {
                $0.variant = "uncompressed"
                $0.note = "one, \"two\""
            },
            Sample.row("leveldb", "readrandom", perSecond: 12.5, entries: 1000, threads: 2) {
                $0.after = "fill"
                $0.latency = ResultLatency(p50: 1.5, p99: 2, p999: 3.25, max: 4, curve: [])
                $0.cpuSeconds = 0.25
                $0.peakResidentBytes = 1024
                $0.settleSeconds = 20
                $0.settledPerSecond = 10
                $0.bytesWritten = 300
                $0.userBytes = 100
                $0.writeAmplification = 3
                $0.bytesRead = 5
                $0.handicap = "slow"
            },
        ]
        let expected = #"""
            run,peer,variant,workload,after,entries,key_bytes,value_bytes,threads,paced_per_second,operations,seconds,\#
            per_second,settle_seconds,settled_per_second,milliseconds,p50_us,p99_us,p999_us,max_us,cpu_seconds,\#
            peak_resident_bytes,memory_budget_bytes,user_bytes,bytes_written,write_amplification,disk_bytes,\#
            settled_disk_bytes,space_amplification,note,roofline_per_second,\#
            bytes_read,memory_limit_bytes,handicap
            -1,shale,uncompressed,fillrandom,,1,16,100,1,,1,0.25,4,,,,,,,,,,,,,,,,,"one, ""two""",,,,
            0,leveldb,,readrandom,fill,1000,16,100,2,,1000,80,12.5,20,10,,1.5,2,3.25,4,0.25,1024,,100,300,3,,,,,,5,,slow

            """#
        #expect(CSVReport.text(rows) == expected)
    }

    @Test func aLineForEachRow() {
        let rows = Sample.everything.rows
        #expect(CSVReport.text(rows).split(separator: "\n").count == rows.count + 1)
    }

    @Test func columnsAreDocumentedAndNamedOnce() {
        #expect(Set(CSVColumn.all.map(\.name)).count == CSVColumn.all.count)
        #expect(CSVColumn.all.allSatisfy { !$0.meaning.isEmpty })
    }
}

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
