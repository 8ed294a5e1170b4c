import ShaleBase
import ShaleSimulation
import TestSupport
import Testing

/// A run of a script by a process that dies before one of its calls, beside another process that looks at the store.
struct OwnerDeath {
    let run: ScriptRun
    /// The number of the owner's calls between the first look and its death.
    let point: Int

    /// Passes deaths at later and later points to `body`, until that returns true.
    static func forEach(of script: CrashScript, _ body: (OwnerDeath) throws -> Bool) throws {
        let step = Ring.choose(commit: 9, nightly: 2, release: 1)
        var point = 0
        var isEnd = false
        while !isEnd {
            isEnd = try body(OwnerDeath(run: ScriptRun(script), point: point))
            point += step
        }
        #expect(point > step)
    }

    /// Runs the script, with `look` in the other process after each step. Returns true if the owner came to the end.
    func happen(beside look: () throws -> Void) throws -> Bool {
        let owner = run.files.fork()
        var isEnd = false
        var isCounting = false
        do {
            try run.files.run(in: owner) {
                try run.run {
                    if !isCounting {
                        isCounting = true
                        let death = run.files.operationCount + point
                        run.files.inject(
                            FaultRule(on: .writtenBack, when: .after(death), repeatsForever: true, .error(5)))
                    }
                    do {
                        try run.files.run(in: 1, look)
                    } catch {
                        Issue.record("point \(point): \(error)")
                    }
                }
                isEnd = true
            }
        } catch {
            run.files.run(in: owner) { run.abandon() }
        }
        run.files.end(owner)
        run.files.removeFaultRules()
        return isEnd
    }
}
