import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct CrashPointTests {
    @Test(arguments: CrashScript.all)
    func aCrashAtAnyCallLeavesAPrefix(_ script: CrashScript) throws {
        try enumerate(script, ScriptRun(script))
    }

    /// Several memtables wait for their flush, and several logs for their sync.
    @Test(arguments: [CrashScript.rotation, .batchesAcrossBlocks, .truncateAndDrop, .durabilityLadder, .closing])
    func aCrashBehindSlowFlushesLeavesAPrefix(_ script: CrashScript) throws {
        try enumerate(script, ScriptRun(script, scheduling: .deferred))
    }

    private func enumerate(_ script: CrashScript, _ run: ScriptRun) throws {
        let checker = CrashChecker()
        var point = 0
        let sampling = StateSampling(seed: 2, oneIn: 2)
        func crash(_ place: () -> String) {
            point += 1
            guard !checker.isFull else { return }
            for (i, kind) in CrashKind.all.enumerated() where sampling.takes(point, i) {
                let seed = UInt64(point * 8 + i)
                checker.check(
                    run.files.crashClone(kind.policy, seed: seed), run.progress, floor: kind.floor(run.progress),
                    thoroughly: point % 8 == i,
                    "SCRIPT=\(script.name) POINT=\(point) STEP=\(run.stepIndex) POLICY=\(kind.name) SEED=\(seed) \(place())"
                )
            }
        }
        run.files.willPerform = { kind, path in
            if OperationSet.changes.contains(kind) { crash { "before \(kind.rawValue) \(path)" } }
        }
        try run.run { crash { "after the step" } }
        run.files.willPerform = nil
        #expect(run.files.closesAllHandles)
        print("crash points of \(script.name): \(point), states: \(checker.states)")
    }
}
