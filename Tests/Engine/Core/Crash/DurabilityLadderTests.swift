import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// A synced write makes everything before it durable, in whichever logs it is. The test fails if the
/// older logs are not synced first.
@Suite struct DurabilityLadderTests {
    /// Buffered and synced writes while memtables rotate faster than they are flushed. There are many short ladders,
    /// because each state is compared with all prefixes of its ladder.
    @Test func aSyncedWriteLeavesNoHoleBeforeIt() throws {
        let ladders = Ring.choose(commit: 1, nightly: 20, release: 20)
        for ladder in 0..<ladders {
            try climb(Ring.choose(commit: 60, nightly: 250, release: 250), seed: Ring.seed &+ UInt64(ladder) << 32)
        }
    }

    private func climb(_ rotations: Int, seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let time = ManualTime()
        var options = ScriptRun.options
        options.time = time
        let run = ScriptRun(
            CrashScript("ladder", DurabilityLadderTests.steps(random, count: rotations * 22)),
            on: SimulatedFileSystem(
                seed: 1, model: .drawn(SeededRandom(seed: seed ^ 0xBB67_AE85), withThreads: false)),
            scheduling: .deferred,
            options: options)
        let checker = CrashChecker()
        var logs = 0
        var step = 0
        let sampling = StateSampling(seed: 12, oneIn: 12)
        run.files.willPerform = { kind, path in
            if kind == .create, path.hasSuffix(".wal") { logs += 1 }
        }
        try run.run {
            step += 1
            // Memtables pile up on purpose. If no time passed between writes, the pacer would delay each write by 5 ms.
            time.advance(milliseconds: 100)
            guard step > 1, !checker.isFull else { return }
            let isSynced = run.script.steps[run.stepIndex].isBarrier
            // Directly after a sync most is promised; between syncs the end of the prefix may be torn anywhere.
            for (i, kind) in CrashKind.all.enumerated() where isSynced ? i == 0 : sampling.takes(step, i) && i % 4 == 1
            {
                let seed = CrashKind.seed(point: step, kind: i)
                checker.check(
                    kind.crash(run.files, seed: seed), run.progress, floor: kind.floor(run.progress), thoroughly: false,
                    "\(Ring.reproduction) LADDER=\(random.seed) STEP=\(run.stepIndex) POLICY=\(kind.name) SEED=\(seed) "
                        + "on \(run.files.model)")
            }
        }
        run.files.willPerform = nil
        #expect(logs >= rotations)
        Ring.covered(logs, "rotations in the durability ladder")
        Ring.covered(checker.states, "crash states in the durability ladder")
    }

    /// Returns random steps with few keys, so that a state is cheap to compare, and large values, so that memtables
    /// fill.
    private static func steps(_ random: SeededRandom, count: Int) -> [CrashStep] {
        var steps: [CrashStep] = [.create("a"), .create("b")]
        while steps.count < count {
            steps.append(
                .put(
                    random.chance(0.5) ? "a" : "b", random.below(12), bytes: 1500 + random.below(4000),
                    synced: random.chance(0.04)))
            // Rare enough for several unsynced logs and several unflushed memtables.
            switch random.below(300) {
            case 0: steps.append(.idle)
            case 1: steps.append(.sync)
            case 2..<7: steps.append(.work)
            default: break
            }
        }
        return steps
    }
}

@Suite struct SyncIntervalTests {
    /// No caller syncs, and yet after the interval a power loss loses nothing.
    @Test func aBufferedBatchIsDurableAfterTheInterval() throws {
        let store = try TestStore(scheduling: .threads) {
            $0.syncInterval = .milliseconds(10)
            $0.time = SystemTime()
        }
        let ns = try store.namespace("n")
        for round in 0..<5 {
            try store.put("key", "value \(round)", in: ns)
            #expect(try SyncIntervalTests.becomesDurable("value \(round)", store), "round \(round)")
        }
        try store.engine.close()
    }

    /// Without an interval the batch stays in the page cache.
    @Test func withoutAnIntervalNothingSyncs() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("key", "value", in: ns)
        let left = try TestStore.open(store.files.crashClone(.dropAll), ScriptRun.options)
        #expect(try left.entries(in: ns).isEmpty)
    }

    private static func becomesDurable(_ value: String, _ store: TestStore) throws -> Bool {
        try eventually {
            let left = try TestStore.open(store.files.crashClone(.dropAll), ScriptRun.options)
            guard let id = left.namespace(named: Array("n".utf8))?.id else { return false }
            return try left.value(forKey: Array("key".utf8), in: id) == Array(value.utf8)
        }
    }
}
