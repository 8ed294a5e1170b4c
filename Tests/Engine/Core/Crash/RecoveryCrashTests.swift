import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Recovery itself may be killed any number of times.
@Suite struct RecoveryCrashTests {
    private static let depthMax = 3

    /// Selects the crashes of the script that are followed by crashes of their recovery, and so on.
    private let firsts = StateSampling(seed: 5, oneIn: Ring.choose(commit: 300, nightly: 8, release: 8))
    private let states = StateSampling(seed: 6, oneIn: Ring.choose(commit: 13, nightly: 8, release: 8))
    private let deeper = StateSampling(seed: 7, oneIn: Ring.choose(commit: 500, nightly: 500, release: 500))

    @Test(arguments: CrashScript.selected)
    func aCrashDuringRecoveryLeavesThePrefix(_ script: CrashScript) throws {
        let run = ScriptRun(script)
        let checker = CrashChecker()
        var point = 0
        var byDepth = [Int](repeating: 0, count: RecoveryCrashTests.depthMax + 1)
        func crash() {
            point += 1
            for (i, kind) in CrashKind.all.enumerated() where firsts.takes(point, i) && !checker.isFull {
                let seed = CrashKind.seed(point: point, kind: i)
                recover(
                    Recovery(
                        disk: kind.crash(run.files, seed: seed), keepsProcessWrites: kind.keepsProcessWrites, depth: 1,
                        seed: seed,
                        label: "SCRIPT=\(script.name) POINT=\(point) POLICY=\(kind.name) SEED=\(seed)"),
                    run.progress, checker, &byDepth)
            }
        }
        run.files.willPerform = { kind, _ in if OperationSet.changes.contains(kind) { crash() } }
        try run.run { crash() }
        run.files.willPerform = nil
        for depth in 1...RecoveryCrashTests.depthMax {
            Ring.covered(byDepth[depth], "crash states of recovery, depth \(depth)", script.name)
        }
    }

    /// The disk after a crash, to be opened.
    private struct Recovery {
        let disk: SimulatedFileSystem
        /// True if all crashes so far killed only the process.
        let keepsProcessWrites: Bool
        /// The number of crashed recoveries, counting this one.
        let depth: Int
        let seed: UInt64
        let label: String
    }

    /// Opens the disk and crashes at every call of the open.
    private func recover(
        _ recovery: Recovery, _ progress: CrashProgress, _ checker: CrashChecker, _ byDepth: inout [Int]
    ) {
        let disk = recovery.disk
        // Half of the recoveries run on another system than the crash.
        if !recovery.seed.isMultiple(of: 2) {
            disk.model = .drawn(SeededRandom(seed: recovery.seed), withThreads: false)
        }
        var call = 0
        var counts = byDepth
        disk.willPerform = { kind, path in
            guard OperationSet.changes.contains(kind) else { return }
            call += 1
            for (i, then) in CrashKind.all.enumerated() where !checker.isFull {
                let seed = recovery.seed &* 0xD129_0D3E_9F4B_A2C5 &+ UInt64(call * 16 + i)
                let keepsProcessWrites = recovery.keepsProcessWrites && then.keepsProcessWrites
                let label = "\(recovery.label) THEN=\(then.name) CALL=\(call) SEED=\(seed)"
                if recovery.depth < RecoveryCrashTests.depthMax, deeper.takes(Int(truncatingIfNeeded: seed)) {
                    recover(
                        Recovery(
                            disk: then.crash(disk, seed: seed), keepsProcessWrites: keepsProcessWrites,
                            depth: recovery.depth + 1, seed: seed, label: label),
                        progress, checker, &counts)
                }
                guard states.takes(Int(truncatingIfNeeded: seed)) else { continue }
                counts[recovery.depth] += 1
                checker.check(
                    then.crash(disk, seed: seed), progress,
                    floor: keepsProcessWrites ? progress.acknowledged : progress.durable, thoroughly: false,
                    "\(label) \(kind.rawValue) \(path)")
            }
        }
        do throws(StorageError) {
            _ = try ScriptRun.open(disk)
        } catch {
            checker.report("\(error)", recovery.label)
        }
        disk.willPerform = nil
        byDepth = counts
    }
}
