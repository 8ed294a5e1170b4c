import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct ReadOnlyTests {
    /// Opens a reader beside a writer, after each of its steps: the reader sees what was written and changes no byte
    /// (contract R-5).
    @Test(arguments: CrashScript.all)
    func aReaderBesideAWriterSeesItsLogsAndWritesNothing(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var options = ScriptRun.options
        options.mode = .readOnly
        try run.run {
            do {
                let before = run.files.contents
                let reader = try ScriptRun.open(run.files, options)
                let content = try StoreContent(of: reader)
                #expect(
                    run.progress.problem(with: content, floor: run.progress.acknowledged) == nil, "\(run.stepIndex)")
                #expect(try StoreContent.isSame(otherWays: reader))
                #expect(try reader.verify().problems.isEmpty)
                for namespace in reader.namespaces {
                    let error = #expect(throws: StorageError.self) {
                        try unsafe reader.delete([1 as UInt8].span.bytes, in: namespace.id)
                    }
                    #expect(error?.code == .readOnly)
                }
                try reader.close()
                #expect(run.files.contents == before)
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
    }
}

@Suite struct ReadOnlyRaceTests {
    /// The writer works at each call of the reader's open. The reader sees the store as of one moment, and does not
    /// report a file as damaged that is just being replaced.
    @Test func aReaderThatOpensWhileTheWriterWorksSeesAPrefix() throws {
        let work: [CrashStep] = [
            .put("a", 3, bytes: 400), .purge(["a"]), .put("a", 4), .flush, .put("a", 5), .truncate(["b"]), .put("b", 6),
        ]
        var options = ScriptRun.options
        options.mode = .readOnly
        var moment = 0
        var isEnd = false
        while !isEnd {
            let writer = try WriterBesideReader(work)
            let before = writer.progress.acknowledged
            do {
                let reader = try writer.working(
                    at: moment + 1...moment + 1, moment % 2 == 0 ? work.count : 3
                ) { () throws(StorageError) in try ScriptRun.open(writer.run.files, options) }
                let problem = writer.progress.problem(with: try StoreContent(of: reader), floor: before)
                #expect(problem == nil, "moment \(moment)")
            } catch {
                Issue.record("moment \(moment): \(error)")
            }
            #expect(writer.failure == nil)
            isEnd = writer.callCount <= moment
            moment += 1
        }
        #expect(moment > 15)
    }
}
