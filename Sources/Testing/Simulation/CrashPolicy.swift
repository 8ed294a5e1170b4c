package import ShalePlatform

/// What a crash leaves of the changes that no sync has covered. Synced data in a synced name always survives.
package struct CrashPolicy: Sendable {
    /// The operating system lives on (SIGKILL, abort): everything written is still there, and only locks are gone.
    package var keepsPageCache = false
    /// Probability that an unsynced write, truncation or extension survives whole.
    package var keepData: Double
    /// Probabilities of the other fates of an unsynced write; what is left to 1 is dropped. Torn: only its first bytes
    /// are there. Zeroed: it has its length, and zeros. Stale: it has its length, and the bytes of another file.
    package var tear = 0.0
    package var zeroFill = 0.0
    package var stale = 0.0
    /// Probability that an unsynced change of a name survives.
    package var keepNames: Double
    /// Whether every change is decided by itself. Otherwise changes of a file, and of a directory, survive in their
    /// order: the first that does not survive whole is the last that leaves a trace.
    package var reorders = true
    /// Whether the two halves of a rename are kept or dropped together, as journaling file systems do. If not, both
    /// names may be there after the crash, or none.
    package var renamesAreAtomic = true

    package init(keepData: Double, keepNames: Double) {
        self.keepData = keepData
        self.keepNames = keepNames
    }

    /// Only what was synced.
    package static let dropAll = CrashPolicy(keepData: 0, keepNames: 0)

    /// Everything happened to be on the medium, except what a failed sync has dropped.
    package static let keepAll = CrashPolicy(keepData: 1, keepNames: 1)

    /// The process died and the machine did not.
    package static var processKill: CrashPolicy {
        var policy = keepAll
        policy.keepsPageCache = true
        return policy
    }

    /// Data without the names, and names without the data.
    package static let dataOnly = CrashPolicy(keepData: 1, keepNames: 0)
    package static let namesOnly = CrashPolicy(keepData: 0, keepNames: 1)

    /// Every fate for everything, each change by itself.
    package static var random: CrashPolicy {
        var policy = CrashPolicy(keepData: 0.5, keepNames: 0.5)
        policy.tear = 0.15
        policy.zeroFill = 0.1
        policy.stale = 0.1
        return policy
    }

    /// A prefix of the changes of each file and each directory, the last one torn.
    package static var randomPrefix: CrashPolicy {
        var policy = CrashPolicy(keepData: 0.8, keepNames: 0.8)
        policy.tear = 0.2
        policy.reorders = false
        return policy
    }

    /// As ``random``, without the atomicity of renames.
    package static var hostile: CrashPolicy {
        var policy = random
        policy.renamesAreAtomic = false
        return policy
    }

    /// Any policy at all, renames being atomic.
    package static func drawn(_ random: SeededRandom) -> CrashPolicy {
        // Certainties are frequent: much goes wrong only where one kind of change survives and the other does not.
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
