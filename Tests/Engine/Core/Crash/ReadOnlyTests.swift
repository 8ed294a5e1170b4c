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
