import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// The space of logs is reserved and released while they are written: every state opens after a crash.
@Suite struct LogSpaceCrashTests {
    /// Values that exceed what an idle log keeps reserved, so that released space is reserved and written again.
    private static let script = CrashScript(
        "log space",
        [.create("a"), .put("a", 1), .idle, .busy, .put("a", 2, synced: true), .idle]
            + (3..<6).map { .put("a", $0, bytes: 1_500_000) }
            + [.sync, .put("a", 6), .idle, .busy, .put("a", 7), .idle, .flush, .idle]
            + (8..<11).map { .put("a", $0, bytes: 1_500_000) } + [.busy, .idle, .put("a", 11, synced: true)])

    private static var options: EngineOptions {
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
