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
        let start: [CrashStep] =
            [.create("a"), .create("b"), .put("b", 1), .put("a", 1, purgeable: true), .flush]
            + [.put("a", 2, purgeable: true), .put("b", 2, synced: true)]
        var options = ScriptRun.options
        options.mode = .readOnly
        var moment = 0
        var isEnd = false
        while !isEnd {
            let run = ScriptRun(CrashScript("race", start + work + work + work))
            try run.open()
            var progress = CrashProgress()
            var next = 0
            func perform(_ count: Int) throws(StorageError) {
                for _ in 0..<count where next < run.script.steps.count {
                    progress.begin(run.script.steps[next], index: next)
                    try run.perform(run.script.steps[next], next)
                    progress.end(run.script.steps[next])
                    next += 1
                }
            }
            try perform(start.count)
            let before = progress.acknowledged
            var call = 0
            var isInside = false
            var failure: StorageError?
            run.files.willPerform = { _, _ in
                if isInside { return }
                call += 1
                guard call == moment + 1 else { return }
                isInside = true
                do throws(StorageError) { try perform(moment % 2 == 0 ? work.count : 3) } catch { failure = error }
                isInside = false
            }
            do {
                let reader = try ScriptRun.open(run.files, options)
                run.files.willPerform = nil
                let problem = progress.problem(with: try StoreContent(of: reader), floor: before)
                #expect(problem == nil, "moment \(moment)")
            } catch {
                Issue.record("moment \(moment): \(error)")
            }
            run.files.willPerform = nil
            #expect(failure == nil)
            isEnd = call <= moment
            moment += 1
        }
        #expect(moment > 15)
    }
}
