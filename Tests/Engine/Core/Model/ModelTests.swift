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
