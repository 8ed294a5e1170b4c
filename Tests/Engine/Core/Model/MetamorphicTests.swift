import ShalePlatform
import TestSupport
import Testing

/// Options change how a store works, never its answers: contract A-3, D-6. Contract T-b: manual compactions among the
/// operations change no answer.
@Suite struct MetamorphicTests {
    private static let optionSets = 8

    /// Runs one script of random operations under several sets of options. Every answer equals the oracle's, and the
    /// histories of all answers are equal.
    @Test func optionsDoNotChangeAnyAnswer() throws {
        let scripts = Ring.choose(commit: 4, nightly: 400, release: 400)
        let steps = Ring.choose(commit: 1000, nightly: 5000, release: 5000)
        for script in 0..<scripts {
            let seed = Ring.seed &+ UInt64(script) &* 7919
            let random = SeededRandom(seed: seed ^ 0x6A09_E667)
            var histories: Set<Int> = []
            for set in 0..<MetamorphicTests.optionSets {
                let profile = ModelProfile.drawn(random)
                do {
                    let model = try Model(profile, seed: seed)
                    try model.run(steps: steps)
                    histories.insert(model.digest.finalize())
                } catch {
                    Issue.record("\(Ring.reproduction) SCRIPT=\(script) OPTIONS=\(set): \(profile): \(error)")
                    return
                }
            }
            #expect(histories.count == 1, "\(Ring.reproduction) SCRIPT=\(script): the histories differ")
        }
        Ring.covered(scripts * MetamorphicTests.optionSets, "option sets compared")
        Ring.covered(scripts * MetamorphicTests.optionSets * steps, "metamorphic operations")
    }
}
