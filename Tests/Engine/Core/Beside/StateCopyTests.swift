import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Checkpoints that a reader makes beside the owner.
@Suite struct StateCopyTests {
    @Test(arguments: [CrashScript.rotation, .compaction, .purge, .drop, .batchesAcrossBlocks])
    func aCheckpointOfAStateEqualsIt(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        var options = ScriptRun.options
        options.mode = .readOnly
        var reader: Engine?
        var copies: [(path: String, content: StoreContent)] = []
        try run.run {
            do {
                let refreshed = try reader?.refreshed() ?? ScriptRun.open(run.files, options)
                guard refreshed !== reader, run.stepIndex % 3 == 0 else { return reader = refreshed }
                reader = refreshed
                let path = "/copy\(copies.count)"
                try refreshed.checkpoint(at: path)
                copies.append((path, try StoreContent(of: refreshed)))
            } catch {
                Issue.record("step \(run.stepIndex): \(error)")
            }
        }
        #expect(copies.count > 3)
        let disk = run.files.crashClone(.dropAll)
        for (path, content) in copies {
            let copy = try Engine.open(
                at: path, options: ScriptRun.options,
                environment: EngineEnvironment(fileSystem: disk, random: SeededRandom(seed: 7), scheduling: .inline))
            #expect(copy.recovery.replayedBatches == 0)
            #expect(try StoreContent(of: copy) == content)
            #expect(try copy.verify().problems.isEmpty)
            try copy.close()
        }
    }

    /// The state's memtables also hold what a later refresh has read.
    @Test func aCheckpointOfAnOlderStateHasNothingNewer() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("k", "1", in: ns)
        var options = store.options
        options.mode = .readOnly
        let first = try TestStore.open(store.files, options)
        try store.put("k", "2", in: ns)
        try store.put("l", "2", in: ns)
        _ = try first.refreshed()
        try first.checkpoint(at: "/copy")
        let environment = EngineEnvironment(
            fileSystem: store.files, random: SeededRandom(seed: 7), scheduling: .inline)
        options.mode = .openExisting
        let copy = try Engine.open(at: "/copy", options: options, environment: environment)
        #expect(try copy.entries(in: ns).map { $0.value } == [Array("1".utf8)])
        try copy.close()
        try first.close()
        #expect(code { () throws(StorageError) in try first.checkpoint(at: "/other") } == .closed)
        try store.engine.close()
    }
}
