import Foundation
import TestSupport

/// Repeatedly kills a process that writes to a store, at a random moment, and checks what it leaves: contract D-1, D-3,
/// D-4, D-6, A-1, R-1.
@main
enum KillLoop {
    static let usage = """
        usage: kill-loop [--cycles N] [--seconds N] [--seed N] [--lanes N] [--directory DIR]

        Ends after N cycles or N seconds, whichever comes first. Without either option the ring sets the number of
        cycles. A failure prints a seed whose run begins with the failed store, and leaves that store's files.

        \(FullDisks.usage)
        """

    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "child", arguments.count == 3, let seed = UInt64(arguments[2]) {
                try Child(CyclePlan(seed: seed), at: arguments[1]).run()
            } else if arguments.first == "disk-child", arguments.count == 4, let seed = UInt64(arguments[2]) {
                let kinds = arguments[3].split(separator: ",").compactMap { MountedDisk.Kind(rawValue: String($0)) }
                try DiskChild(plan: DiskPlan(seed: seed, kinds: kinds), path: arguments[1]).run()
            } else if arguments.first == "full-disks" {
                try FullDisks.run(Array(arguments.dropFirst()))
            } else {
                try run(try Arguments(arguments))
            }
        } catch {
            FileHandle.standardError.write(Data("kill-loop: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let figures = try Lane.runAll(arguments)
        let seconds = Double((clock.now - start) / .milliseconds(1)) / 1000
        print("\(figures.summary(seconds: seconds)), SEED=\(arguments.seed)")
        Ring.covered(figures.cycles, "kills of a writing process")
        Ring.covered(figures.acknowledged, "acknowledged actions before kills")
    }
}

/// The command line.
struct Arguments {
    var cycles = Ring.choose(commit: 25, nightly: 2000, release: 2500)
    var seconds = Int.max / 2
    var seed = Ring.seed
    /// The number of stores used in parallel: most of the time is spent waiting for the disk.
    var lanes = 2
    var directory = FileManager.default.temporaryDirectory.path

    init(_ words: [String]) throws {
        var rest = words[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw KillLoopError(KillLoop.usage) }
            switch option {
            case "--cycles": cycles = try Arguments.number(value)
            case "--seconds": seconds = try Arguments.number(value)
            case "--seed": seed = try Arguments.number(value)
            case "--lanes": lanes = try Arguments.number(value)
            case "--directory": directory = value
            default: throw KillLoopError(KillLoop.usage)
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw KillLoopError(KillLoop.usage) }
        return number
    }
}

/// The counts of what a run has covered.
struct Figures {
    var lives = 0
    var cycles = 0
    var acknowledged = 0
    var replayed: UInt64 = 0
    var verifications = 0
    var checkpoints = 0
    /// The most refreshes of a reader beside one store.
    var refreshes = 0

    mutating func add(_ other: Figures) {
        lives += other.lives
        cycles += other.cycles
        acknowledged += other.acknowledged
        replayed += other.replayed
        verifications += other.verifications
        checkpoints += other.checkpoints
        refreshes = max(refreshes, other.refreshes)
    }

    func summary(seconds: Double) -> String {
        let rate = (Double(cycles) / max(seconds, 0.001) * 10).rounded() / 10
        return "kill loop: \(cycles) cycles over \(lives) stores, \(acknowledged) acknowledged actions, "
            + "\(replayed) batches replayed, \(verifications) verifications, \(checkpoints) checkpoints opened, "
            + "\(refreshes) refreshes beside one store, "
            + "\(rate) cycles/s"
    }
}
