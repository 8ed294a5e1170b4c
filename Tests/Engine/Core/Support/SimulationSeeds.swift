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

extension CrashKind {
    func floor(_ progress: CrashProgress) -> Int { keepsProcessWrites ? progress.acknowledged : progress.durable }

    /// Returns the seed of one crash, different for every point and kind.
    static func seed(point: Int, kind: Int) -> UInt64 {
        Ring.seed &* 0xD129_0D3E_9F4B_A2C5 &+ UInt64(point) &* 64 &+ UInt64(kind)
    }
}
