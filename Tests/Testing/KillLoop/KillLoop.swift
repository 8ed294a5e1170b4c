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
