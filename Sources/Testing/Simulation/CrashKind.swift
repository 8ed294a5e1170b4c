import ShalePlatform

/// A kind of crash, with the guarantee that it keeps.
package struct CrashKind: Sendable {
    package let name: String
    /// True if only the process dies: everything that it wrote is kept, acknowledged or not.
    package var keepsProcessWrites = false
    /// True if the result depends on the seed.
    package var isDrawn = false
    package let policy: @Sendable (_ seed: UInt64) -> CrashPolicy

    /// All kinds: nothing unsynced, everything, a process kill, data without names, names without data; then eight that
    /// draw an outcome for every change, of which six also draw the probabilities.
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

    /// Returns what this kind of crash leaves of `disk` now.
    package func crash(_ disk: SimulatedFileSystem, seed: UInt64) -> SimulatedFileSystem {
        let left = disk.crashClone(policy(seed), seed: seed)
        left.recordsOperations = false
        return left
    }
}
