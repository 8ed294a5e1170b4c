import ShalePlatform
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Random operations against an oracle.
///
/// `MODEL_STEPS` sets the number of operations over all profiles, `MODEL_SEED` the seed, `MODEL_PROFILE` a single profile. The
/// seed is the same every time unless it is set: a run that fails is then the change's doing, and others explore.
@Suite struct ModelTests {
    static func setting(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    static var profiles: [ModelProfile] {
        guard let name = setting("MODEL_PROFILE") else { return ModelProfile.all }
        return ModelProfile.all.filter { $0.name == name }
    }

    @Test(arguments: profiles) func randomOperationsAgreeWithTheOracle(_ profile: ModelProfile) throws {
        let steps = ModelTests.setting("MODEL_STEPS").flatMap { Int($0) } ?? 1_000_000
        let seed = ModelTests.setting("MODEL_SEED").flatMap { UInt64($0) } ?? 20_261_121
        let share = steps / ModelTests.profiles.count
        do {
            let model = try Model(profile, seed: seed &+ UInt64(profile.name.utf8.reduce(0) { $0 * 31 + Int($1) }))
            try model.run(steps: share)
            print("model '\(profile)' MODEL_SEED=\(seed): \(share) steps, \(model.coverage)")
        } catch {
            Issue.record("MODEL_SEED=\(seed) MODEL_PROFILE='\(profile)' MODEL_STEPS=\(share): \(error)")
        }
    }
}
