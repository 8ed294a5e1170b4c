import ShaleSimulation
import TestSupport

extension CrashKind {
    func floor(_ progress: CrashProgress) -> Int { keepsProcessWrites ? progress.acknowledged : progress.durable }

    /// Returns the seed of one crash, different for every point and kind.
    static func seed(point: Int, kind: Int) -> UInt64 {
        Ring.seed &* 0xD129_0D3E_9F4B_A2C5 &+ UInt64(point) &* 64 &+ UInt64(kind)
    }
}
