package import ShalePlatform

/// The rules for changes that no sync has covered when a crash happens.
///
/// Synced data under a synced name always survives.
package struct CrashPolicy: Sendable {
    /// True if the operating system survives (SIGKILL, abort): everything written is kept, and only locks are released.
    package var keepsPageCache = false
    /// The probability that an unsynced write, truncation or extension survives whole.
    package var keepData: Double
    /// The probabilities of the other outcomes of an unsynced write; with the rest of the probability the write is
    /// dropped.
    ///
    /// Torn: only its first bytes survive. Zeroed: its range holds zeros. Stale: its range holds bytes of another file.
    package var tear = 0.0
    package var zeroFill = 0.0
    package var stale = 0.0
    /// The probability that an unsynced change of a name survives.
    package var keepNames: Double
    /// True if every change is decided independently.
    ///
    /// Otherwise the changes of a file or directory survive in order: the first one that does not survive whole is the
    /// last one with an effect.
    package var reorders = true
    /// True if the two halves of a rename are kept or dropped together, as in journaling file systems.
    ///
    /// Otherwise both names or none may exist after the crash.
    package var renamesAreAtomic = true

    package init(keepData: Double, keepNames: Double) {
        self.keepData = keepData
        self.keepNames = keepNames
    }

    /// Keeps only what was synced.
    package static let dropAll = CrashPolicy(keepData: 0, keepNames: 0)

    /// Keeps everything, except what a failed sync has dropped.
    package static let keepAll = CrashPolicy(keepData: 1, keepNames: 1)

    /// Kills the process; the operating system survives.
    package static var processKill: CrashPolicy {
        var policy = keepAll
        policy.keepsPageCache = true
        return policy
    }

    /// Keeps data without names, or names without data.
    package static let dataOnly = CrashPolicy(keepData: 1, keepNames: 0)
    package static let namesOnly = CrashPolicy(keepData: 0, keepNames: 1)

    /// Draws any outcome for every change independently.
    package static var random: CrashPolicy {
        var policy = CrashPolicy(keepData: 0.5, keepNames: 0.5)
        policy.tear = 0.15
        policy.zeroFill = 0.1
        policy.stale = 0.1
        return policy
    }

    /// Keeps a prefix of the changes of each file and each directory, with the last one torn.
    package static var randomPrefix: CrashPolicy {
        var policy = CrashPolicy(keepData: 0.8, keepNames: 0.8)
        policy.tear = 0.2
        policy.reorders = false
        return policy
    }

    /// Like ``random``, but renames are not atomic.
    package static var hostile: CrashPolicy {
        var policy = random
        policy.renamesAreAtomic = false
        return policy
    }

    /// Draws a policy with atomic renames.
    package static func drawn(_ random: SeededRandom) -> CrashPolicy {
        // Probabilities of 0 and 1 are frequent: many bugs only show if one kind of change survives and the other does
        // not.
        func probability() -> Double { random.chance(0.3) ? Double(random.below(2)) : random.fraction() }
        var policy = CrashPolicy(keepData: probability(), keepNames: probability())
        let rest = 1 - policy.keepData
        policy.tear = rest * random.fraction() / 2
        policy.zeroFill = rest * random.fraction() / 4
        policy.stale = rest * random.fraction() / 4
        policy.reorders = random.chance(0.5)
        return policy
    }
}

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
