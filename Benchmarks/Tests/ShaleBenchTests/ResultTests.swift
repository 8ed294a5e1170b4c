import Foundation
import Testing

@testable import ShaleBench

struct ResultLineTests {
    private func roundTrip(_ line: ResultLine) throws -> ResultLine {
        try JSONDecoder().decode(ResultLine.self, from: line.encoded())
    }

    @Test("a row comes back as it was, parts that were not measured included")
    func row() throws {
        var row = ResultRow(peer: "shale", workload: "fillrandom", entries: 10, operations: 10, seconds: 0.5)
        #expect(row.perSecond == 20)
        #expect(try roundTrip(.row(row)) == .row(row))
        row.latency = ResultLatency(p50: 1, p99: 2, p999: 3, max: 4, curve: [[50, 1], [100, 4]])
        row.timeline = ResultTimeline(intervalSeconds: 0.1, perSecond: [100], longestMicroseconds: [4])
        row.paced = ResultPace(ratePerSecond: 1000)
        #expect(try roundTrip(.row(row)) == .row(row))
    }

    @Test("a roofline comes back, and says its kind and schema")
    func roofline() throws {
        let line = ResultLine.roofline(ResultRoofline(run: 1, name: "fdatasync", perSecond: 5, threads: 4))
        #expect(try roundTrip(line) == line)
        let text = String(decoding: try line.encoded(), as: UTF8.self)
        #expect(text.contains(#""kind":"roofline""#) && text.contains(#""schema":1"#) && text.hasSuffix("}\n"))
    }

    @Test("kinds and members that are not known are passed over; another schema is not read")
    func others() throws {
        let decode = { (text: String) in try JSONDecoder().decode(ResultLine.self, from: Data(text.utf8)) }
        #expect(try decode(#"{"schema":1,"kind":"bar","x":1}"#) == .other(kind: "bar"))
        let roofline = #"{"schema":1,"kind":"roofline","run":0,"name":"memcpy","perSecond":2,"new":1}"#
        #expect(try decode(roofline) == .roofline(ResultRoofline(name: "memcpy", perSecond: 2)))
        #expect(throws: DecodingError.self) { try decode(#"{"schema":2,"kind":"row"}"#) }
    }
}

struct ResultLatencyTests {
    @Test("an operation that was late counts from when it was due")
    func coordinatedOmission() throws {
        var recorder = LatencyRecorder(began: Clock.now)
        recorder.finish(due: Clock.now - 5_000_000)
        let latency = try #require(ResultLatency([recorder]))
        #expect(latency.max >= 5000)
    }

    @Test("percentiles of several threads are of all their operations, and the curve ascends")
    func percentiles() throws {
        var recorders = (0..<2).map { _ in LatencyRecorder(began: Clock.now) }
        for operation in 1...1000 { recorders[operation & 1].finish(due: Clock.now - UInt64(operation) * 1_000_000) }
        let latency = try #require(ResultLatency(recorders))
        // Allows for two significant digits, and for the time that the test itself takes.
        #expect((495_000...520_000).contains(latency.p50))
        #expect((980_000...1_010_000).contains(latency.p99))
        #expect(latency.max >= 1_000_000)
        #expect(latency.curve.map { $0[0] } == latency.curve.map { $0[0] }.sorted())
        #expect(latency.curve.map { $0[1] } == latency.curve.map { $0[1] }.sorted())
        #expect(latency.curve.last?[0] == 100)
    }

    @Test("nothing recorded is nothing measured")
    func empty() { #expect(ResultLatency([LatencyRecorder(began: Clock.now)]) == nil) }
}

struct MedianTests {
    @Test func medians() {
        #expect([Double]().median == 0)
        #expect([3.0].median == 3)
        #expect([9.0, 1].median == 5)
        #expect([9.0, 1, 2].median == 2)
    }
}
