import ShaleBase
import ShalePlatform
import TestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs drawn programs under drawn schedules.
///
///     schedules [--count N] [--from SEED] [--replay SEED]
@main
enum Schedules {
    static func main() {
        var count = 1000
        var first: UInt64 = 1
        var words = CommandLine.arguments.dropFirst()
        while let option = words.popFirst() {
            guard let value = words.popFirst() else { fail("\(option) needs a value") }
            switch option {
            case "--count": count = Int(value) ?? 0
            case "--from": first = UInt64(value) ?? 1
            case "--replay":
                first = UInt64(value) ?? 1
                count = 1
            default: fail("usage: schedules [--count N] [--from SEED] [--replay SEED]")
            }
        }
        let began = SystemTime().monotonicNanoseconds
        var decisions = 0
        var steps = 0
        for offset in 0..<count {
            let seed = first + UInt64(offset)
            let (runDecisions, runSteps) = explore(seed)
            decisions += runDecisions
            steps += runSteps
        }
        let seconds = Double(SystemTime().monotonicNanoseconds - began) / 1e9
        print(
            "COVERED \(count) schedules | \(Int(Double(count) / seconds)) a second, \(decisions / max(1, count)) decisions and "
                + "\(steps / max(1, count)) steps each, seeds \(first)…\(first + UInt64(count) - 1)")
    }

    private static func explore(_ seed: UInt64) -> (decisions: Int, steps: Int) {
        let program = Program(seed: seed / 8)
        let inner: any Strategy =
            switch seed % 8 {
            case 0: RandomWalk(seed: seed, inertia: 0)
            case 1: RandomWalk(seed: seed, inertia: 4)
            case 2: RandomWalk(seed: seed, inertia: 20)
            default: PriorityWalk(seed: seed, depth: Int(seed % 8) - 2, decisions: 300)
            }
        let recorder = Recorder(inner)
        let run = ProgramRun(program)
        func report(_ what: String) -> Never {
            fail("SEED=\(seed): \(what)\nprogram: \(program)\n\(run.description)\nschedule: \(recorder.decisions)")
        }
        let scheduler = ThreadScheduler(stepLimit: 200_000, choose: recorder.choose) { failure, threads in
            report("\(failure)\n\(threads)")
        }
        do {
            if let problem = try run.run(scheduler) { report(problem) }
        } catch {
            report("\(error)")
        }
        return (scheduler.decisions, scheduler.steps)
    }

    static func fail(_ text: String) -> Never {
        let bytes = Array("FAILED \(text)\n".utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
        _exit(1)
    }
}
