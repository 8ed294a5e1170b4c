import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@Suite struct RecoveryCrashTests {
    /// For a sample of crashes: recovery crashes too, at each of its calls, and the next one still finds the prefix.
    @Test(arguments: CrashScript.all)
    func aCrashDuringRecoveryLeavesThePrefix(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        let checker = CrashChecker()
        let sampling = StateSampling(seed: 5, oneIn: 60)
        var point = 0
        func crash() {
            point += 1
            for (i, kind) in CrashKind.all.enumerated() where sampling.takes(point, i) && !checker.isFull {
                let seed = UInt64(point * 8 + i)
                let disk = run.files.crashClone(kind.policy, seed: seed)
                RecoveryCrashTests.recover(
                    disk, run.progress, kind, seed, checker, "SCRIPT=\(script.name) POINT=\(point)")
            }
        }
        run.files.willPerform = { kind, _ in if OperationSet.changes.contains(kind) { crash() } }
        try run.run { crash() }
        run.files.willPerform = nil
        print("crashes during recovery, \(script.name): \(checker.states) states")
    }

    /// Opens `disk`, what the first crash has left, and crashes at every call of that.
    private static func recover(
        _ disk: SimulatedFileSystem, _ progress: CrashProgress, _ first: CrashKind, _ seed: UInt64,
        _ checker: CrashChecker, _ label: String
    ) {
        var call = 0
        disk.recordsOperations = false
        disk.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind), !checker.isFull else { return }
            call += 1
            for (i, second) in CrashKind.all.enumerated() where (call + i) % 3 == 0 {
                let survivesBoth = first.keepsProcessWrites && second.keepsProcessWrites
                checker.check(
                    disk.crashClone(second.policy, seed: seed &+ UInt64(call * 8 + i)), progress,
                    floor: survivesBoth ? progress.acknowledged : progress.durable, thoroughly: false,
                    "\(label) POLICY=\(first.name) SEED=\(seed) THEN=\(second.name) CALL=\(call) \(kind.rawValue) \(path)"
                )
            }
        }
        do {
            _ = try ScriptRun.open(disk)
        } catch {
            checker.report("\(error)", label)
        }
        disk.willPerform = nil
    }
}
