import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// Short scripts on a real engine: all up to a length, and a sample of longer ones. CompactionTests covers the
/// retention rule itself far more thoroughly; this suite combines the rule with files, blocks, metadata and recovery.
@Suite struct SmallEngineTests {
    private func run(_ script: [SmallEngine.Step]) throws {
        let engine = try SmallEngine()
        let text = String(script.map(\.rawValue))
        for (i, step) in (script + [.flush, .compact, .reclaim, .kill]).enumerated() {
            try engine.perform(step)
            if let problem = try engine.problem() {
                throw VisibilityFailure(
                    description: "\(Ring.reproduction) script \(text), step \(i + 1): \(problem)")
            }
        }
    }

    private static let steps = SmallEngine.Step.allCases

    @Test func allShortScriptsKeepEveryObserversView() throws {
        var scripts = 0
        let writes = SmallEngineTests.steps.filter { "pqxdne".contains($0.rawValue) }
        for first in writes {
            for second in SmallEngineTests.steps {
                for third in SmallEngineTests.steps {
                    try run([first, second, third])
                    scripts += 1
                }
            }
        }
        Ring.covered(scripts, "short scripts, complete", "3 steps, the first a write")
    }

    @Test func aSampleOfLongScriptsKeepsEveryObserversView() throws {
        let scripts = Ring.choose(commit: 1500, nightly: 100_000, release: 100_000)
        let random = SeededRandom(seed: Ring.seed)
        for _ in 0..<scripts {
            try run(
                (0..<4 + random.below(9)).map { _ in SmallEngineTests.steps[random.below(SmallEngineTests.steps.count)]
                })
        }
        Ring.covered(scripts, "short scripts, drawn", "4 to 12 steps")
    }
}

struct VisibilityFailure: Error, CustomStringConvertible {
    let description: String
}
