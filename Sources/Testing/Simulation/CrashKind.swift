import ShalePlatform

/// A way to crash, and what it must leave.
package struct CrashKind: Sendable {
    package let name: String
    /// The death of the process alone: what it wrote is there, acknowledged or not.
    package var keepsProcessWrites = false
    /// Whether another seed leaves something else.
    package var isDrawn = false
    package let policy: @Sendable (_ seed: UInt64) -> CrashPolicy

    /// Nothing unsynced, everything, a kill, data without names and the reverse; then eight that draw a fate for every
    /// change, six of them the probabilities too.
    package static let all: [CrashKind] =
        [
            CrashKind(name: "dropAll") { _ in .dropAll },
            CrashKind(name: "keepAll") { _ in .keepAll },
            CrashKind(name: "processKill", keepsProcessWrites: true) { _ in .processKill },
            CrashKind(name: "dataOnly") { _ in .dataOnly },
            CrashKind(name: "namesOnly") { _ in .namesOnly },
            CrashKind(name: "random", isDrawn: true) { _ in .random },
            CrashKind(name: "randomPrefix", isDrawn: true) { _ in .randomPrefix },
        ] + (1...6).map { i in CrashKind(name: "drawn\(i)", isDrawn: true) { .drawn(SeededRandom(seed: $0)) } }

    /// What this kind of crash leaves of `disk` now.
    package func crash(_ disk: SimulatedFileSystem, seed: UInt64) -> SimulatedFileSystem {
        let left = disk.crashClone(policy(seed), seed: seed)
        left.recordsOperations = false
        return left
    }
}
