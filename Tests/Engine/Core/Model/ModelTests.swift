import ShaleEngine
import ShalePlatform
import TestSupport
import Testing

/// Random operations compared with an oracle.
///
/// `MODEL_STEPS` sets the number of operations over all profiles, `MODEL_PROFILE` selects a single profile. The seed is
/// constant unless it is set, so that a failure comes from the change under test. Nightly runs set other seeds.
@Suite struct ModelTests {
    static var profiles: [ModelProfile] {
        guard let name = Ring.setting("MODEL_PROFILE") else { return ModelProfile.all }
        return ModelProfile.all.filter { $0.name == name }
    }

    @Test(arguments: profiles) func randomOperationsAgreeWithTheOracle(_ profile: ModelProfile) throws {
        let steps =
            Ring.setting("MODEL_STEPS").flatMap { Int($0) }
            ?? Ring.choose(commit: 1_000_000, nightly: 100_000_000, release: 100_000_000)
        let share = steps / ModelTests.profiles.count
        do {
            let model = try Model(profile, seed: Ring.seed &+ UInt64(profile.name.utf8.reduce(0) { $0 * 31 + Int($1) }))
            try model.run(steps: share)
            Ring.covered(share, "model operations", "\(profile): \(model.coverage)")
        } catch {
            Issue.record("\(Ring.reproduction) MODEL_PROFILE='\(profile)' MODEL_STEPS=\(share): \(error)")
        }
    }
}

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

/// The counts of what a run has exercised, so that a profile that misses its purpose is noticed.
struct ModelCoverage: CustomStringConvertible {
    var powerLosses = 0
    var lostSequences = 0
    var fullComparisons = 0
    var refreshes = 0
    var commits = 0
    var conflicts = 0
    var heldCursors = 0
    var heldSteps = 0
    var seeks = 0
    var flushes: UInt64 = 0
    var compactions: UInt64 = 0
    var moves: UInt64 = 0
    var drops: UInt64 = 0
    var copiedBlocks: UInt64 = 0
    var skippedBlocks: UInt64 = 0
    var shadowed: UInt64 = 0
    var erased: UInt64 = 0
    var tombstones: UInt64 = 0
    var levelsUsed: Set<Int> = []

    mutating func add(_ statistics: Engine.Statistics) {
        flushes += statistics.flushes
        compactions += statistics.compactions
        moves += statistics.moves
        drops += statistics.drops
        for level in statistics.levels where level.segments > 0 { levelsUsed.insert(level.level) }
    }

    /// Adds the report of a manual compaction: automatic ones don't report these counts.
    mutating func add(_ report: CompactionReport) {
        copiedBlocks += report.copiedBlocks
        skippedBlocks += report.skippedBlocks
        shadowed += report.shadowedEntries
        erased += report.erasedEntries
        tombstones += report.removedTombstones
    }

    var description: String {
        "losses=\(powerLosses)/\(lostSequences) compared=\(fullComparisons) refreshes=\(refreshes) "
            + "commits=\(commits) conflicts=\(conflicts) held=\(heldCursors)/\(heldSteps)/\(seeks) "
            + "flushes=\(flushes) compactions=\(compactions) moves=\(moves) "
            + "drops=\(drops) copied=\(copiedBlocks) skipped=\(skippedBlocks) shadowed=\(shadowed) erased=\(erased) "
            + "tombstones=\(tombstones) levels=\(levelsUsed.sorted())"
    }
}
