import ShalePlatform
import TestSupport
import Testing

/// Runs every script of the small store up to a length, and checks the store after every step.
///
/// Every observer must find the result that the history gives, after any flush, merge and normalisation. Shares divide
/// the scripts by their first steps.
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

    /// Runs random longer scripts.
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

    /// Versions that no observer sees are removed: after a merge of the whole tree, without snapshots, only present
    /// entries remain.
    @Test func entriesInvisibleToAllReadPointsAreGoneAfterMergingEverything() throws {
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
