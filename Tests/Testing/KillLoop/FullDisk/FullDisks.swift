import Foundation
import ShalePlatform
import TestSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Checks states of full disks one after the other, in two lanes.
enum FullDisks {
    static let usage = """
        usage: kill-loop full-disks [--states N] [--seed N] [--directory DIR]

        Mounts small file systems, has a process fill them with a store and killed, and checks what is left. Needs to be
        root, or a kernel that permits namespaces of users: then only tmpfs is mounted. A failure prints the line that
        makes the same state again.
        """

    static func run(_ words: [String]) throws {
        var count = Ring.choose(commit: 50, nightly: 500, release: 1000)
        var seed = Ring.seed
        var directory = FileManager.default.temporaryDirectory.path
        var rest = words[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw KillLoopError(usage) }
            switch (option, Int(value)) {
            case ("--states", .some(let number)): count = number
            case ("--seed", _):
                guard let number = UInt64(value) else { throw KillLoopError(usage) }
                seed = number
            case ("--directory", _): directory = value
            default: throw KillLoopError(usage)
            }
        }
        let kinds = MountedDisk.permitted(under: directory)
        guard !kinds.isEmpty else { return try runUnshared(words) }
        let seeds = SeededRandom(seed: seed)
        try run((0..<count).map { $0 == 0 ? seed : seeds.next() }, kinds, directory)
    }

    private static func run(_ seeds: [UInt64], _ kinds: [MountedDisk.Kind], _ directory: String) throws {
        let next = Locked(0)
        let failure = Locked<(any Error)?>(nil)
        let longest = Locked(Duration.zero)
        let threads = try (0..<2).map { lane in
            try WorkerThread.start(name: "disk-\(lane)") {
                while failure.withLock({ $0 == nil }) {
                    let index = next.withLock { number in
                        defer { number += 1 }
                        return number
                    }
                    guard index < seeds.count else { return }
                    let plan = DiskPlan(seed: seeds[index], kinds: kinds)
                    let began = ContinuousClock.now
                    do {
                        let pause = try DiskState(plan: plan, kinds: kinds, directory: directory).run()
                        longest.withLock { $0 = max($0, pause) }
                        print("\(plan.summary): \(ContinuousClock.now - began), writing after \(pause)")
                        _ = fflush(nil)
                    } catch {
                        failure.withLock {
                            $0 =
                                $0
                                ?? KillLoopError(
                                    "\(error)\nFAILED, SEED=\(plan.seed): SHALE_RING=\(Ring.current.rawValue) "
                                        + "kill-loop full-disks --states 1 --seed \(plan.seed)")
                        }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        if let error = failure.withLock({ $0 }) { throw error }
        let pause = longest.withLock { $0 }
        Ring.covered(
            seeds.count, "full-disk states",
            "\(kinds.map(\.rawValue).joined(separator: ", ")); writing went on after at most \(pause)")
    }

    /// Runs again as root of a separate user namespace, if this process lacks the privilege to mount.
    private static func runUnshared(_ words: [String]) throws {
        let marker = "SHALE_UNSHARED"
        guard ProcessInfo.processInfo.environment[marker] == nil else {
            print("SKIPPED: full disks on real file systems, because none can be mounted here")
            return
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-Urm", CommandLine.arguments[0], "full-disks"] + words
        process.environment = ProcessInfo.processInfo.environment.merging([marker: "1"]) { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw KillLoopError("the unshared process failed") }
    }
}
