import ShalePlatform
import Testing

/// Every script of the small world up to a length, checked after every step: whatever is flushed, merged and normalised,
/// every observer finds what the history says. `VISIBILITY_STEPS` sets the length.
@Suite struct ExhaustiveVisibilityTests {
    private static let length = TestSetting.number("VISIBILITY_STEPS") ?? 6

    private func explore(_ store: SmallStore, _ script: String, _ left: Int, _ states: inout Int) throws {
        guard left > 0 else { return }
        for step in SmallStore.Step.allCases {
            var next = store
            guard next.perform(step) else { continue }
            states += 1
            if let problem = next.problem {
                throw VisibilityFailure(description: "script \(script)\(step.rawValue): \(problem)")
            }
            try explore(next, script + String(step.rawValue), left - 1, &states)
        }
    }

    @Test func everyObserverSeesTheSameBeforeAndAfterAnyCompaction() throws {
        var states = 0
        try explore(SmallStore(), "", ExhaustiveVisibilityTests.length, &states)
        print("visibility: \(states) states, all scripts of up to \(ExhaustiveVisibilityTests.length) steps")
        #expect(states > 100_000)
    }

    /// Longer ones by chance.
    @Test func longScriptsKeepEveryObserversView() throws {
        let random = SeededRandom(seed: SystemRandom().next() % 1_000_000)
        let steps = SmallStore.Step.allCases
        for _ in 0..<20_000 {
            var store = SmallStore()
            var script = ""
            for _ in 0..<24 {
                let step = steps[random.below(steps.count)]
                guard store.perform(step) else { continue }
                script.append(step.rawValue)
                if let problem = store.problem {
                    throw VisibilityFailure(description: "script \(script): \(problem)")
                }
            }
        }
    }

    /// What nobody can see goes at last: a tree that is merged whole, with no snapshot, holds what is present only.
    @Test func whatNobodySeesIsGoneAfterMergingEverything() throws {
        let random = SeededRandom(seed: SystemRandom().next() % 1_000_000)
        let steps = SmallStore.Step.allCases
        for _ in 0..<5000 {
            var store = SmallStore()
            for _ in 0..<20 { _ = store.perform(steps[random.below(steps.count)]) }
            for step in [SmallStore.Step.release, .release, .flush, .mergeAll] { _ = store.perform(step) }
            #expect(store.storedCount <= 1)
            #expect((store.storedCount == 1) == store.isPresent)
        }
    }
}

struct VisibilityFailure: Error, CustomStringConvertible {
    let description: String
}
