import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Every state that a crash leaves, on a disk without a free byte: the store opens, shows what was promised, purges,
/// drops and closes. The reopened store shows the result, and takes writes once there is space. Contract E-3, R-1, D-1,
/// D-3, D-6.
@Suite struct FullDiskCrashTests {
    @Test(arguments: CrashScript.selected)
    func aCrashAtAnyCallLeavesAStoreThatWorksWithoutSpace(_ script: CrashScript) throws {
        try enumerate(ScriptRun(script))
    }

    @Test(
        arguments: CrashScript.selected(
            of: [.rotation, .batchesAcrossBlocks, .truncate, .drop, .durabilityLadder, .closing, .drawn]))
    func aCrashBehindSlowFlushesDoesToo(_ script: CrashScript) throws {
        try enumerate(ScriptRun(script, scheduling: .deferred))
    }

    private func enumerate(_ run: ScriptRun) throws {
        let sampling = StateSampling(seed: 9, oneIn: Ring.choose(commit: 24, nightly: 3, release: 1))
        var point = 0
        var states = 0
        var problems = 0
        func crash(_ place: () -> String) {
            point += 1
            for (index, kind) in CrashKind.all.enumerated()
            where sampling.takes(point, index) && problems < 3 {
                let seed = CrashKind.seed(point: point, kind: index)
                let disk = kind.crash(run.files, seed: seed)
                // Before the first manifest is current, there is no store yet, and none can be created.
                guard disk.paths().contains("/store/CURRENT") else { continue }
                states += 1
                do {
                    try check(
                        disk, run.progress, floor: kind.floor(run.progress), isContested: states.isMultiple(of: 2))
                } catch {
                    problems += 1
                    Issue.record(
                        """
                        \(Ring.reproduction) SCRIPT=\(run.script.name) POINT=\(point) POLICY=\(kind.name) \
                        SEED=\(seed) \(place()): \(error)
                        """)
                }
            }
        }
        run.files.willPerform = { kind, path in
            if OperationSet.changes.contains(kind) { crash { "before \(kind.rawValue) \(path)" } }
        }
        try run.run { crash { "after the step" } }
        run.files.willPerform = nil
        Ring.covered(states, "crash states without space", run.script.name)
    }

    private struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private func check(
        _ disk: SimulatedFileSystem, _ progress: CrashProgress, floor: Int, isContested: Bool
    ) throws {
        disk.setQuota(disk.usedBytes)
        // Others take at once what the opening gives back, so that it has to serve from memory.
        if isContested { disk.willPerform = { _, _ in disk.setQuota(disk.usedBytes) } }
        var engine = try ScriptRun.open(disk)
        disk.willPerform = nil
        let shown = try StoreContent(of: engine)
        if let problem = progress.problem(with: shown, floor: floor) { throw Problem(description: problem) }
        try checkPowerLoss(of: disk, shown, "of the open store")
        try engine.close()
        engine = try ScriptRun.open(disk)
        guard try StoreContent(of: engine) == shown else { throw Problem(description: "reopened: another state") }
        try checkPowerLoss(of: disk, shown, "of the reopened store")
        let ids = engine.namespaces.map(\.id)
        try engine.purge(ids)
        if let first = ids.first { try engine.truncate([first]) }
        if let last = ids.last { try engine.drop([last]) }
        let relieved = try StoreContent(of: engine)
        try engine.close()
        disk.setQuota(disk.usedBytes)
        engine = try ScriptRun.open(disk)
        guard try StoreContent(of: engine) == relieved else {
            throw Problem(description: "after purging and closing another state is shown")
        }
        disk.setQuota(1 << 40)
        try write(engine)
        guard try StoreContent(of: engine, except: "(probe)") == relieved else {
            throw Problem(description: "after writing another state is shown")
        }
        if let damage = try engine.verify().problems.first { throw damage }
        try engine.close()
        let last = try ScriptRun.open(disk)
        guard last.recovery.removedFiles == 0, last.recovery.replayedBatches == 0 else {
            throw Problem(description: "closing has left files: \(last.recovery)")
        }
        guard try StoreContent(of: last, except: "(probe)") == relieved else {
            throw Problem(description: "at the end another state is shown")
        }
    }

    /// D-4: what was shown survives a power loss.
    private func checkPowerLoss(of disk: SimulatedFileSystem, _ shown: StoreContent, _ when: String) throws {
        let lost = disk.crashClone(.dropAll)
        lost.setQuota(lost.usedBytes)
        guard try StoreContent(of: ScriptRun.open(lost)) == shown else {
            throw Problem(description: "after a power loss \(when) another state is shown")
        }
    }

    private func write(_ engine: Engine) throws(StorageError) {
        let probe = try engine.createNamespace(named: Array("(probe)".utf8))
        try engine.put([1, 2, 3], forKey: [1], in: probe, durability: .synced)
    }
}
