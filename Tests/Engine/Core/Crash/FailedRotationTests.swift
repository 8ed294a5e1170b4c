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

@Suite struct FailedRotationTests {
    /// The file that a failed rotation leaves is no link in the chain of logs.
    @Test(arguments: [OperationKind.write, .preallocate, .syncDirectory])
    func aRotationThatFailedBreaksNoChain(_ kind: OperationKind) throws {
        let run = ScriptRun(CrashScript("failed rotation", []))
        var progress = CrashProgress()
        try run.open()
        func perform(_ step: CrashStep, _ index: Int, attempts: Int = 1) throws(StorageError) -> Int {
            progress.begin(step, index: index)
            var failures = 0
            while true {
                do throws(StorageError) {
                    try run.perform(step, index)
                    progress.end(step)
                    return failures
                } catch {
                    failures += 1
                    if failures == attempts { throw error }
                }
            }
        }
        _ = try perform(.create("a"), 0)
        for i in 1...10 { _ = try perform(.put("a", i, bytes: 5000), i) }
        // From here on the first new log can't be created, its file can't be removed, and nothing can be flushed.
        let present = Set(run.files.paths())
        let new = PathPattern.predicate { $0.contains("/wal") && !present.contains($0) }
        run.files.inject(FaultRule(on: [kind], path: new, when: .match(1), .error(EIO)))
        run.files.inject(FaultRule(on: [.remove], path: new, when: .match(1), .error(EIO)))
        run.files.inject(FaultRule(on: [.create], path: "*.seg", when: .always, repeatsForever: true, .error(EIO)))
        var failures = 0
        for i in 11...16 { failures += try perform(.put("a", i % 7, bytes: 5000), i, attempts: 3) }
        #expect(failures == 2, "the rotation, and the flush after the one that succeeded")
        let checker = CrashChecker()
        let killed = run.files.crashClone(.processKill)
        #expect(killed.paths().count { $0.contains("/wal/") } == 3)
        checker.check(killed, progress, floor: progress.acknowledged, thoroughly: true, "killed")
        _ = try perform(.sync, 17)
        checker.check(run.files.crashClone(.dropAll), progress, floor: progress.durable, thoroughly: true, "power loss")
    }
}
