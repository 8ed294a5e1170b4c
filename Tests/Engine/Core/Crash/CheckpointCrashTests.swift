import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Contract D-3 and A-1, for the result of `checkpoint`.
@Suite struct CheckpointCrashTests {
    /// A checkpoint that has returned is a complete, independent store; one that died is no store.
    @Test func aCheckpointIsWholeOrNotThere() throws {
        let run = ScriptRun(.checkpoint)
        var finished = 0
        var states = 0
        func crash() {
            for (i, kind) in CrashKind.all.enumerated() {
                states += 1
                let disk = kind.crash(run.files, seed: CrashKind.seed(point: states, kind: i))
                for (n, path) in ["/copy", "/other"].enumerated() {
                    check(
                        disk, path, run.progress, mustExist: n < finished,
                        "\(Ring.reproduction) POLICY=\(kind.name) SEED=\(states) STEP=\(run.stepIndex)")
                }
            }
        }
        run.files.willPerform = { kind, _ in if OperationSet.changes.contains(kind) { crash() } }
        try run.run {
            if case .checkpoint = run.script.steps[run.stepIndex] { finished += 1 }
            crash()
        }
        run.files.willPerform = nil
        #expect(finished == 2)
        Ring.covered(states, "crash states of checkpoints")
    }

    private func check(
        _ disk: SimulatedFileSystem, _ path: String, _ progress: CrashProgress, mustExist: Bool, _ label: String
    ) {
        var options = ScriptRun.options
        options.mode = .openExisting
        do throws(StorageError) {
            let engine = try Engine.open(
                at: path, options: options,
                environment: EngineEnvironment(fileSystem: disk, random: SeededRandom(seed: 1), scheduling: .inline))
            let content = try StoreContent(of: engine)
            #expect(progress.problem(with: content, floor: 1) == nil, "\(label)")
            #expect(try engine.verify().problems.isEmpty, "\(label)")
        } catch {
            #expect(!mustExist && (error.code == .missing || error.code == .corruption), "\(label): \(error)")
        }
    }
}
