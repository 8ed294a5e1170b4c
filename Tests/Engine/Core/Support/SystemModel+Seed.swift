import ShalePlatform
import ShaleSimulation
import TestSupport

extension SystemModel {
    /// Returns the model for `name` in this ring, different for every share and every night.
    static func drawn(for name: String, withThreads: Bool = false) -> SystemModel {
        let seed = name.utf8.reduce(Ring.seed &+ 0x6A09_E667) { $0 &* 31 &+ UInt64($1) }
        return drawn(SeededRandom(seed: seed), withThreads: withThreads)
    }
}
