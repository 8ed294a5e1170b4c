import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// A crash of any kind, before every call that changes the disk and after every step, leaves what was promised:
/// contract D-1, D-2, D-3, D-4, D-6, A-1 and R-1. (A crash before a call that only reads equals one before the next
/// change.)
@Suite struct CrashPointTests {
    @Test(arguments: CrashScript.selected)
    func aCrashAtAnyCallLeavesAPrefix(_ script: CrashScript) throws {
        try enumerate(script, ScriptRun(script), oneIn: Ring.choose(commit: 4, nightly: 1, release: 1))
    }

    /// The same with all values in value files, and by an opening that separates them or not.
    @Test(arguments: CrashScript.selected)
    func aCrashBesideValueFilesLeavesAPrefix(_ script: CrashScript) throws {
        var options = ScriptRun.options
        options.largeValueBytes = 64
        try enumerate(
            script.withLargeValues, ScriptRun(script.withLargeValues, options: options),
            oneIn: Ring.choose(commit: 6, nightly: 1, release: 1))
    }

    /// The same with values that are written in pieces, in a store that separates large values or not.
    @Test(arguments: CrashScript.selected, [0, 64])
    func aCrashBesideStreamedValuesLeavesAPrefix(_ script: CrashScript, _ largeValueBytes: Int) throws {
        var options = ScriptRun.options
        options.largeValueBytes = largeValueBytes
        try enumerate(
            script.withStreams, ScriptRun(script.withStreams, options: options),
            oneIn: Ring.choose(commit: 12, nightly: 1, release: 1))
    }

    /// Reservation, mapping and names behave as on other systems.
    @Test(arguments: CrashScript.selected)
    func aCrashOfAnotherSystemLeavesAPrefix(_ script: CrashScript) throws {
        let files = SimulatedFileSystem(seed: 1, model: .drawn(for: script.name))
        try enumerate(script, ScriptRun(script, on: files), oneIn: Ring.choose(commit: 40, nightly: 5, release: 5))
    }

    /// Several memtables wait for their flush, and several logs for their sync.
    @Test(
        arguments: CrashScript.selected(
            of: [.rotation, .batchesAcrossBlocks, .truncate, .drop, .durabilityLadder, .closing, .drawn]))
    func aCrashBehindSlowFlushesLeavesAPrefix(_ script: CrashScript) throws {
        try enumerate(
            script, ScriptRun(script, scheduling: .deferred), oneIn: Ring.choose(commit: 4, nightly: 1, release: 1))
    }

    private func enumerate(_ script: CrashScript, _ run: ScriptRun, oneIn share: Int) throws {
        let checker = CrashChecker()
        var point = 0
        let sampling = StateSampling(seed: 2, oneIn: share)
        // How often the random kinds are repeated with other seeds.
        let rounds = Ring.choose(commit: 1, nightly: 5, release: 3)
        func crash(_ place: () -> String) {
            point += 1
            for (i, kind) in CrashKind.all.enumerated() {
                for round in 0..<(kind.isDrawn ? rounds : 1)
                where sampling.takes(point, i + 16 * round) && !checker.isFull {
                    let seed = CrashKind.seed(point: point, kind: i + 16 * round)
                    checker.check(
                        kind.crash(run.files, seed: seed), run.progress, floor: kind.floor(run.progress),
                        thoroughly: point % 8 == i,
                        """
                        SCRIPT=\(script.name) POINT=\(point) STEP=\(run.stepIndex) POLICY=\(kind.name) SEED=\(seed) \
                        \(place()) on \(run.files.model)
                        """)
                }
            }
        }
        run.files.willPerform = { kind, path in
            if OperationSet.changes.contains(kind) { crash { "before \(kind.rawValue) \(path)" } }
        }
        try run.run { crash { "after the step" } }
        run.files.willPerform = nil
        #expect(run.files.closesAllHandles)
        Ring.covered(point, "crash points", script.name)
        Ring.covered(checker.states, "crash states", script.name)
    }
}
