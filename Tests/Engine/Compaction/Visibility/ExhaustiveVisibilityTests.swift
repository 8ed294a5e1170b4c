import ShalePlatform
import TestSupport
import Testing

/// Every script of the small world up to a length, checked after every step: whatever is flushed, merged and normalised,
/// every observer finds what the history says. Shares divide the scripts by their first steps.
@Suite struct ExhaustiveVisibilityTests {
    private static let length = Ring.choose(commit: 6, nightly: 8, release: 9)

    private func explore(_ store: SmallStore, _ script: String, _ left: Int, _ states: inout Int) throws {
        guard left > 0 else { return }
        for (index, step) in SmallStore.Step.allCases.enumerated() where !script.isEmpty || Ring.takes(index) {
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
        Ring.covered(
            states, "visibility states, complete", "scripts of up to \(ExhaustiveVisibilityTests.length) steps")
        #expect(states > 100_000)
    }

    /// Longer ones by chance.
    @Test func longScriptsKeepEveryObserversView() throws {
        let random = SeededRandom(seed: Ring.seed)
        let steps = SmallStore.Step.allCases
        for _ in 0..<Ring.choose(commit: 20_000, nightly: 1_000_000, release: 1_000_000) {
            var store = SmallStore()
            var script = ""
            for _ in 0..<24 {
                let step = steps[random.below(steps.count)]
                guard store.perform(step) else { continue }
                script.append(step.rawValue)
                if let problem = store.problem {
                    throw VisibilityFailure(description: "\(Ring.reproduction) script \(script): \(problem)")
                }
            }
        }
    }

    /// What nobody can see goes at last: a tree that is merged whole, with no snapshot, holds what is present only.
    @Test func whatNobodySeesIsGoneAfterMergingEverything() throws {
        let random = SeededRandom(seed: Ring.seed)
        let steps = SmallStore.Step.allCases
        for _ in 0..<Ring.choose(commit: 5000, nightly: 200_000, release: 200_000) {
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
