import ShalePlatform
import ShaleSimulation
import TestSupport

/// A way to crash, and what it must leave.
struct CrashKind: Sendable {
    let name: String
    /// The death of the process alone: what it wrote is there, acknowledged or not.
    var keepsProcessWrites = false
    /// Whether another seed leaves something else.
    var isDrawn = false
    let policy: @Sendable (_ seed: UInt64) -> CrashPolicy

    /// Nothing unsynced, everything, a kill, data without names and the reverse; then eight that draw a fate for every
    /// change, six of them the probabilities too.
    static let all: [CrashKind] =
        [
            CrashKind(name: "dropAll") { _ in .dropAll },
            CrashKind(name: "keepAll") { _ in .keepAll },
            CrashKind(name: "processKill", keepsProcessWrites: true) { _ in .processKill },
            CrashKind(name: "dataOnly") { _ in .dataOnly },
            CrashKind(name: "namesOnly") { _ in .namesOnly },
            CrashKind(name: "random", isDrawn: true) { _ in .random },
            CrashKind(name: "randomPrefix", isDrawn: true) { _ in .randomPrefix },
        ] + (1...6).map { i in CrashKind(name: "drawn\(i)", isDrawn: true) { .drawn(SeededRandom(seed: $0)) } }

    func floor(_ progress: CrashProgress) -> Int { keepsProcessWrites ? progress.acknowledged : progress.durable }

    /// What this kind of crash leaves of `disk` now.
    func crash(_ disk: SimulatedFileSystem, seed: UInt64) -> SimulatedFileSystem {
        let left = disk.crashClone(policy(seed), seed: seed)
        left.recordsOperations = false
        return left
    }

    /// The seed of one crash: another for every point, kind and share.
    static func seed(point: Int, kind: Int) -> UInt64 {
        Ring.seed &* 0xD129_0D3E_9F4B_A2C5 &+ UInt64(point) &* 64 &+ UInt64(kind)
    }
}
