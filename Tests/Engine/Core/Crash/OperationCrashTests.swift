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

@Suite struct ManifestRotationCrashTests {
    /// The manifest rotates after 4 MiB, which about a thousand edits of 4 KiB reach.
    @Test func aCrashWhileTheManifestRotatesLeavesAPrefix() throws {
        let edits = 1030
        let script = CrashScript(
            "manifest rotation",
            [.create("a"), .put("a", 1)]
                + (0..<edits).map { .setOptions("a", [UInt8](repeating: UInt8($0 % 251), count: 4096)) }
                + [.put("a", 2), .purge(["a"]), .put("a", 3)])
        let run = ScriptRun(script)
        let checker = CrashChecker()
        let sampling = StateSampling(seed: 8, oneIn: Ring.choose(commit: 6, nightly: 1, release: 1))
        var point = 0
        var manifests: Set<String> = []
        func crash(_ place: String) {
            guard manifests.count >= 3 else { return }
            point += 1
            checker.checkCrashes(of: run, at: point, where: { sampling.takes(point, $0) }, place)
        }
        run.files.willPerform = { kind, path in
            if kind == .create, path.contains("MANIFEST") { manifests.insert(path) }
            if OperationSet.changes.contains(kind) { crash("before \(kind.rawValue) \(path)") }
        }
        try run.run()
        run.files.willPerform = nil
        #expect(manifests.count == 3, "created, opened, rotated")
        #expect(checker.states > 20)
        Ring.covered(checker.states, "crash states", script.name)
    }
}

/// The space of logs is reserved and released while they are written: every state opens after a crash.
@Suite struct LogSpaceCrashTests {
    /// Values that exceed what an idle log keeps reserved, so that released space is reserved and written again.
    private static let script = CrashScript(
        "log space",
        [.create("a"), .put("a", 1), .idle, .busy, .put("a", 2, synced: true), .idle]
            + (3..<6).map { .put("a", $0, bytes: 1_500_000) }
            + [.sync, .put("a", 6), .idle, .busy, .put("a", 7), .idle, .flush, .idle]
            + (8..<11).map { .put("a", $0, bytes: 1_500_000) } + [.busy, .idle, .put("a", 11, synced: true)])

    private static var options: Engine.Options {
        var options = ScriptRun.options
        options.memtableBytes = 24 << 20
        options.memoryBudget = 96 << 20
        return options
    }

    @Test(arguments: [EngineEnvironment.Scheduling.inline, .deferred])
    func aCrashAroundAnyChangeOfItLeavesAPrefix(_ scheduling: EngineEnvironment.Scheduling) throws {
        let run = ScriptRun(LogSpaceCrashTests.script, scheduling: scheduling, options: LogSpaceCrashTests.options)
        let checker = CrashChecker()
        let places: OperationSet = [.preallocate, .truncate, .sync]
        var cuts = 0
        var point = 0
        func crash(_ place: () -> String) {
            point += 1
            checker.checkCrashes(of: run, at: point, where: { (point + $0).isMultiple(of: 5) }, place())
        }
        run.files.willPerform = { kind, path in
            guard places.contains(kind), path.hasSuffix(".wal") else { return }
            if kind == .truncate { cuts += 1 }
            crash { "before \(kind.rawValue) \(path)" }
        }
        try run.run { crash { "after the step" } }
        run.files.willPerform = nil
        #expect(cuts >= 4, "the script gives space back")
        #expect(run.files.closesAllHandles)
    }
}
