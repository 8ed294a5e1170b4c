import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A kind of failing call.
struct FailureKind: Sendable, CustomTestStringConvertible {
    let name: String
    let operations: OperationSet
    let isForEver: Bool
    let effect: FaultRule.Effect
    /// In the commit ring, one in `share` calls fails.
    var share = 20

    static let all = [
        FailureKind(name: "EIO once", operations: .all, isForEver: false, effect: .error(EIO)),
        FailureKind(name: "EIO for ever", operations: .all, isForEver: true, effect: .error(EIO)),
        FailureKind(name: "ENOSPC once", operations: growing, isForEver: false, effect: .error(ENOSPC)),
        FailureKind(name: "ENOSPC for ever", operations: growing, isForEver: true, effect: .error(ENOSPC)),
        FailureKind(
            name: "EMFILE once", operations: opening, isForEver: false, effect: .error(EMFILE)),
        FailureKind(name: "EMFILE for ever", operations: opening, isForEver: true, effect: .error(EMFILE)),
        FailureKind(name: "EACCES once", operations: naming, isForEver: false, effect: .error(EACCES)),
        FailureKind(name: "EACCES for ever", operations: naming, isForEver: true, effect: .error(EACCES)),
        FailureKind(
            name: "short write", operations: [.write], isForEver: false, effect: .shortWrite(keeping: 37, error: EIO)),
        FailureKind(
            name: "short writes for ever", operations: [.write], isForEver: true,
            effect: .shortWrite(keeping: 37, error: ENOSPC)),
        FailureKind(name: "EDQUOT once", operations: growing, isForEver: false, effect: .error(EDQUOT), share: 60),
        FailureKind(name: "EDQUOT for ever", operations: growing, isForEver: true, effect: .error(EDQUOT), share: 60),
        FailureKind(name: "EINTR once", operations: .all, isForEver: false, effect: .error(EINTR), share: 60),
        FailureKind(
            name: "writeback error", operations: .writtenBack, isForEver: false, effect: .writebackError(EIO),
            share: 40),
        FailureKind(
            name: "writeback errors for ever", operations: .writtenBack, isForEver: true,
            effect: .writebackError(ENOSPC), share: 40),
        FailureKind(name: "sync lies", operations: .syncs, isForEver: false, effect: .syncLies),
        FailureKind(name: "syncs lie for ever", operations: .syncs, isForEver: true, effect: .syncLies),
    ]

    private static let opening: OperationSet = [.open, .create, .openDirectory, .lock]
    private static let naming: OperationSet = [.open, .create, .openDirectory, .rename, .link, .remove, .lock]

    private static let growing: OperationSet = [.create, .write, .preallocate, .rename, .link, .lock, .sync]

    var testDescription: String { name }
}

/// Every injected fault is reported, nothing acknowledged is lost, and no handle stays open: contract E-1, E-2, E-3,
/// E-8, A-2, D-7.
///
/// A sync that lies is outside of the contract. Even then the store must keep working, and after a power loss show an
/// earlier state or throw a typed error.
@Suite struct FailureLoopTests {
    /// Runs a script repeatedly, each time with another failing call.
    @Test(arguments: CrashScript.selected, FailureKind.all)
    func everyFailureIsReportedAndNothingAcknowledgedIsLost(_ script: CrashScript, _ kind: FailureKind) throws {
        try loop(script, kind, .inline)
    }

    /// The same with delayed flushes.
    @Test(
        arguments: CrashScript.selected(of: [.rotation, .durabilityLadder, .closing, .drawn]), FailureKind.all)
    func everyFailureBehindSlowFlushesIsReported(_ script: CrashScript, _ kind: FailureKind) throws {
        try loop(script, kind, .deferred)
    }

    /// The same with all values in value files.
    @Test(
        arguments: CrashScript.selected(of: [.puts, .rotation, .compaction, .drop, .closing, .drawn]), FailureKind.all)
    func everyFailureOfAValueFileIsReported(_ script: CrashScript, _ kind: FailureKind) throws {
        var options = ScriptRun.options
        options.largeValueBytes = 64
        try loop(
            script.withLargeValues, kind, .inline, .kind,
            StateSampling(seed: 5, oneIn: Ring.choose(commit: 2 * kind.share, nightly: 1, release: 1)), options)
    }

    /// The same with values that are written in pieces.
    @Test(
        arguments: CrashScript.selected(of: [.puts, .rotation, .compaction, .drop, .closing, .drawn]), FailureKind.all)
    func everyFailureOfAStreamedValueIsReported(_ script: CrashScript, _ kind: FailureKind) throws {
        try loop(
            script.withStreams, kind, .inline, .kind,
            StateSampling(seed: 6, oneIn: Ring.choose(commit: 2 * kind.share, nightly: 1, release: 1)))
    }

    /// Runs on the strict system, and a sample on another one.
    private func loop(
        _ script: CrashScript, _ kind: FailureKind, _ scheduling: EngineEnvironment.Scheduling
    ) throws {
        try loop(
            script, kind, scheduling, .kind,
            StateSampling(seed: 3, oneIn: Ring.choose(commit: kind.share, nightly: 1, release: 1)))
        try loop(
            script, kind, scheduling, .drawn(for: script.name + kind.name),
            StateSampling(seed: 4, oneIn: Ring.choose(commit: 200, nightly: 10, release: 4)))
    }

    private func loop(
        _ script: CrashScript, _ kind: FailureKind, _ scheduling: EngineEnvironment.Scheduling, _ system: SystemModel,
        _ sampling: StateSampling, _ options: Engine.Options = ScriptRun.options
    ) throws {
        let healthy = ScriptRun(
            script, on: SimulatedFileSystem(seed: 1, model: system), scheduling: scheduling, options: options)
        healthy.files.recordsOperations = true
        try healthy.run()
        var runs = 0
        var problems = 0
        for operation in healthy.files.operations
        where kind.operations.contains(operation.kind) && sampling.takes(operation.index) && problems < 3 {
            let rule = FaultRule(
                on: kind.operations, when: .index(operation.index), repeatsForever: kind.isForEver, kind.effect)
            let run = FailureRun(script, scheduling, system, rule, options)
            run.execute()
            runs += 1
            if let problem = run.problem {
                problems += 1
                Issue.record(
                    """
                    \(Ring.reproduction) SCRIPT=\(script.name) FAULT=\(kind.name) CALL=\(operation) on \(system): \
                    \(problem) [\(run.errors.first.map { "\($0)" } ?? "no error")]
                    """)
            }
        }
        Ring.covered(runs, "injected failures", "\(script.name), \(kind.name)")
    }
}
