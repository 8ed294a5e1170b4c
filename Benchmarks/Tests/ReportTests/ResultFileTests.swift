import Foundation
import Testing

@testable import ShaleBench

struct ResultFileTests {
    private func lines(_ text: [String]) throws -> Data {
        let machine = String(decoding: try ResultLine.machine(Sample.machine).encoded(), as: UTF8.self)
        return Data((machine + text.joined(separator: "\n")).utf8)
    }

    private func error(_ data: Data) -> ResultFileError? {
        #expect(throws: ResultFileError.self) { try ResultFile(data, path: "r.jsonl") }
    }

    private func row(_ change: (inout ResultRow) -> Void = { _ in }) throws -> String {
        let row = Sample.row("shale", "fillseq", perSecond: 5, change)
        return String(decoding: try ResultLine.row(row).encoded().dropLast(), as: UTF8.self)
    }

    @Test func readsWhatWasWritten() throws {
        let file = Sample.everything
        let read = try ResultFile(try Sample.lines(file), path: "r.jsonl")
        #expect(read.rows == file.rows)
        #expect(read.rooflines == file.rooflines)
        #expect(read.machine == file.machine)
    }

    @Test func anotherSchemaNamesItsLine() throws {
        let later = try row().replacing("\"schema\":1", with: "\"schema\":2")
        let error = error(try lines([try row(), later]))
        #expect(error?.line == 3)
        #expect(error?.description.hasPrefix("r.jsonl:3: schema 2") == true)
    }

    @Test func noSchemaNamesItsLine() throws {
        #expect(error(try lines([#"{"kind":"row"}"#]))?.line == 2)
    }

    @Test func aLineThatWasCutShortNamesItself() throws {
        let error = error(try lines([try row(), String(try row().dropLast(20))]))
        #expect(error?.line == 3)
        #expect(error?.problem.contains("not a JSON object") == true)
    }

    @Test func aMissingMemberIsNamed() throws {
        let error = error(try lines([try row().replacing(#""workload":"fillseq""#, with: #""other":1"#)]))
        #expect(error?.line == 2)
        #expect(error?.problem == "workload is missing")
    }

    @Test func aMemberOfAnotherTypeIsNamed() throws {
        let error = error(try lines([try row().replacing(#""threads":1"#, with: #""threads":"one""#)]))
        #expect(error?.problem.contains("threads") == true)
    }

    @Test func rowsBeforeTheMachineAreRefused() throws {
        #expect(error(Data((try row() + "\n").utf8))?.line == 1)
    }

    @Test func twoRunsInOneFileAreRefused() throws {
        let machine = String(decoding: try ResultLine.machine(Sample.machine).encoded(), as: UTF8.self)
        #expect(error(try lines([try row(), machine]))?.line == 3)
    }

    @Test func timelinesWithoutFormAreRefused() throws {
        let bad = try row {
            $0.timeline = ResultTimeline(intervalSeconds: 0.1, perSecond: [1, 2], longestMicroseconds: [1])
        }
        #expect(error(try lines([bad]))?.line == 2)
    }

    @Test func emptyFilesAndWarmUpsAloneAreRefused() throws {
        #expect(error(Data())?.line == nil)
        #expect(error(try lines([try row { $0.run = -1 }])) != nil)
    }

    @Test func emptyLinesAndOtherKindsArePassedOver() throws {
        let data = try lines(["", #"{"schema":1,"kind":"bar","new":true}"#, try row(), "", ""])
        #expect(try ResultFile(data, path: "r.jsonl").rows.count == 1)
    }

    @Test func aFileThatIsNotThereIsAnError() {
        #expect(throws: ResultFileError.self) { try ResultFile.read("/nowhere/results.jsonl") }
    }
}
