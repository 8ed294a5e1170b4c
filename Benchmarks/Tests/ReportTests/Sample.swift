import Foundation

@testable import ShaleBench

/// Invented result files for the tests.
enum Sample {
    static let machine = ResultMachine(
        cpu: "Example <9000> & \"Co\"", cores: 2, kernel: "Linux 6.1", fileSystem: "ext4 (rw,relatime)",
        device: "/dev/vda1", memoryBytes: 8 << 30, compiler: "Swift 6.3.1", revision: "abc1234", flags: "-O",
        date: "2026-01-02T03:04:05Z", fsyncMicroseconds: ResultFsync(p50: 52, p99: 310),
        versions: ["shale": "1", "leveldb": "1.23"], settings: ["leveldb": "cache 512 MiB"], preset: "full")

    /// Returns a row with this number of operations per second.
    static func row(
        _ peer: String, _ workload: String, perSecond: Double, run: Int = 0, entries: Int = 2_000_000,
        threads: Int = 1, _ change: (inout ResultRow) -> Void = { _ in }
    ) -> ResultRow {
        var row = ResultRow(
            peer: peer, workload: workload, entries: entries, operations: entries, seconds: Double(entries) / perSecond)
        row.run = run
        row.threads = threads
        row.perSecond = perSecond
        change(&row)
        return row
    }

    /// Returns a row of one step.
    static func step(_ peer: String, _ workload: String, milliseconds: Double, entries: Int) -> ResultRow {
        var row = ResultRow(
            peer: peer, workload: workload, entries: entries, operations: 1, seconds: milliseconds / 1e3)
        row.milliseconds = milliseconds
        return row
    }

    static func file(_ rows: [ResultRow], rooflines: [ResultRoofline] = []) -> ResultFile {
        var file = ResultFile(machine: machine)
        file.rows = rows
        file.rooflines = rooflines
        return file
    }

    static func lines(_ file: ResultFile) throws -> Data {
        let all = [.machine(file.machine)] + file.rooflines.map(ResultLine.roofline) + file.rows.map(ResultLine.row)
        return try all.reduce(into: Data()) { $0 += try $1.encoded() }
    }

    /// A bit of everything that the report can draw.
    static var everything: ResultFile {
        let latency = ResultLatency(
            p50: 1, p99: 10, p999: 100, max: 30_000,
            curve: [[50, 1], [90, 4], [99, 10], [99.9, 100], [100, 30_000]])
        let timeline = ResultTimeline(
            intervalSeconds: 0.1, perSecond: [10, 12, 0, 3, 11, 10], longestMicroseconds: [5, 6, 0, 150_000, 4, 5])
        var rows: [ResultRow] = []
        for run in -1...2 {
            for (peer, rate) in [("shale", 100_000.0), ("leveldb", 30_000), ("rocksdb", 20_000), ("lmdb", 120_000)] {
                for entries in [10_000, 2_000_000] {
                    rows.append(
                        row(peer, "fillrandom", perSecond: rate + Double(run), run: run, entries: entries) {
                            $0.latency = latency
                            $0.timeline = timeline
                            $0.settledPerSecond = rate / 2
                            $0.cpuSeconds = 3
                            $0.peakResidentBytes = 300 << 20
                            $0.memoryBudgetBytes = peer == "shale" ? 256 << 20 : nil
                            $0.writeAmplification = 2.5
                            $0.diskBytes = 200_000_000
                            $0.settledDiskBytes = 150_000_000
                            $0.note = "a <b>note</b> & more"
                        })
                }
            }
            rows.append(row("leveldb", "fillrandom", perSecond: 50_000, run: run) { $0.variant = "uncompressed" })
            rows.append(
                row("shale", "paced", perSecond: 50_000, run: run) {
                    $0.paced = ResultPace(ratePerSecond: 50_000)
                    $0.latency = latency
                })
            rows.append(step("shale", "reopen", milliseconds: 4, entries: 10_000))
            rows.append(step("shale", "reopen", milliseconds: 5, entries: 10_000_000))
            rows.append(step("newcomer<1>", "reopen", milliseconds: 1, entries: 10_000_000))
        }
        return file(rows, rooflines: [ResultRoofline(name: "write(2)", perSecond: 2.5e6)])
    }
}
