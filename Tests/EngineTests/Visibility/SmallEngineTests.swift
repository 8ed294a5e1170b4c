import ShaleEngine
import ShalePlatform
import Testing

/// Short scripts on a real engine: all up to a length, and a sample of longer ones. `VISIBILITY_SCALE` makes the sample
/// larger. The retention rule itself is covered far beyond this by CompactionTests; here it meets files, blocks, metadata
/// and recovery.
@Suite struct SmallEngineTests {
    private func run(_ script: [SmallEngine.Step]) throws {
        let engine = try SmallEngine()
        let text = String(script.map(\.rawValue))
        for (i, step) in (script + [.flush, .compact, .reclaim, .kill]).enumerated() {
            try engine.perform(step)
            if let problem = try engine.problem() {
                throw VisibilityFailure(description: "script \(text), after step \(i + 1): \(problem)")
            }
        }
    }

    private static let steps = SmallEngine.Step.allCases

    @Test func allShortScripts() throws {
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
        print("visibility: all \(scripts) scripts of 3 steps that begin with a write")
    }

    @Test func aSampleOfLongScripts() throws {
        let scale = ModelTests.setting("VISIBILITY_SCALE").flatMap { Int($0) } ?? 1
        let seed = ModelTests.setting("MODEL_SEED").flatMap { UInt64($0) } ?? SystemRandom().next() % 1_000_000
        let random = SeededRandom(seed: seed)
        print("visibility: \(1500 * scale) scripts of 4 to 12 steps, MODEL_SEED=\(seed)")
        for _ in 0..<1500 * scale {
            try run(
                (0..<4 + random.below(9)).map { _ in SmallEngineTests.steps[random.below(SmallEngineTests.steps.count)]
                })
        }
    }
}

struct VisibilityFailure: Error, CustomStringConvertible {
    let description: String
}
