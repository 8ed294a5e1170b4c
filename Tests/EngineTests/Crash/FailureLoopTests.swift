import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A way in which a call fails.
struct FailureKind: Sendable, CustomTestStringConvertible {
    let name: String
    let operations: OperationSet
    let isForEver: Bool
    let effect: FaultRule.Effect

    static let all = [
        FailureKind(name: "EIO once", operations: .all, isForEver: false, effect: .error(EIO)),
        FailureKind(name: "EIO for ever", operations: .all, isForEver: true, effect: .error(EIO)),
        FailureKind(name: "ENOSPC once", operations: growing, isForEver: false, effect: .error(ENOSPC)),
        FailureKind(name: "ENOSPC for ever", operations: growing, isForEver: true, effect: .error(ENOSPC)),
        FailureKind(
            name: "EMFILE once", operations: [.open, .create, .openDirectory, .lock], isForEver: false,
            effect: .error(EMFILE)),
        FailureKind(
            name: "short write", operations: [.write], isForEver: false, effect: .shortWrite(keeping: 37, error: EIO)),
    ]

    private static let growing: OperationSet = [.create, .write, .preallocate, .rename, .link, .lock, .sync]

    var testDescription: String { name }
}

@Suite struct FailureLoopTests {
    /// Runs a script again and again, each time with another call that fails.
    @Test(arguments: CrashScript.all, FailureKind.all)
    func everyFailureIsReportedAndNothingAcknowledgedIsLost(_ script: CrashScript, _ kind: FailureKind) throws {
        try loop(script, kind, .inline)
    }

    /// The same behind slow flushes.
    @Test(arguments: [CrashScript.rotation, .durabilityLadder, .closing], FailureKind.all)
    func everyFailureBehindSlowFlushesIsReported(_ script: CrashScript, _ kind: FailureKind) throws {
        try loop(script, kind, .deferred)
    }

    private func loop(
        _ script: CrashScript, _ kind: FailureKind, _ scheduling: EngineEnvironment.Scheduling
    ) throws {
        let healthy = ScriptRun(script, scheduling: scheduling)
        healthy.files.recordsOperations = true
        try healthy.run()
        let sampling = StateSampling(seed: 3, oneIn: 8)
        var runs = 0
        var problems = 0
        for operation in healthy.files.operations
        where kind.operations.contains(operation.kind) && sampling.takes(operation.index) && problems < 3 {
            let rule = FaultRule(
                on: kind.operations, when: .index(operation.index), repeatsForever: kind.isForEver, kind.effect)
            let run = FailureRun(script, scheduling, rule)
            run.execute()
            runs += 1
            if let problem = run.problem {
                problems += 1
                Issue.record(
                    "SCRIPT=\(script.name) FAULT=\(kind.name) CALL=\(operation): \(problem) [\(run.errors.first.map { "\($0)" } ?? "no error")]"
                )
            }
        }
        print("failures of \(script.name), \(kind.name): \(runs)")
    }
}
