package import ShalePlatform

/// What a crash before one call of a script leaves.
package struct RecordedCrash<Mark> {
    package let files: SimulatedFileSystem
    /// What the script had done by then.
    package let mark: Mark
    /// Policy, seed and call, for messages.
    package let place: String
}

extension CrashPolicy {
    /// The kinds of crash that a script has to survive at every call.
    package static var standard: [(name: String, policy: CrashPolicy)] {
        [
            ("drop all", .dropAll), ("keep all", .keepAll), ("data only", .dataOnly), ("names only", .namesOnly),
            ("random", .random), ("kill", .processKill),
        ]
    }
}

extension SimulatedFileSystem {
    /// Runs `script`, and returns what crashes of each standard kind leave before each of its calls that changes the disk, and
    /// after the last. The states are looked into afterwards: an opening can't wait for one inside it.
    package func crashes<Mark>(
        mark: () -> Mark, during script: () throws -> Void
    ) rethrows -> [RecordedCrash<Mark>] {
        var crashes: [RecordedCrash<Mark>] = []
        try withoutActuallyEscaping(mark) { mark in
            func crash(_ call: String) {
                for (name, policy) in CrashPolicy.standard {
                    let seed = crashes.count
                    crashes.append(
                        RecordedCrash(
                            files: crashClone(policy, seed: UInt64(seed)), mark: mark(),
                            place: "\(name), seed \(seed), \(call)"))
                }
            }
            willPerform = { kind, path in
                if OperationSet.changes.contains(kind) { crash("before \(kind.rawValue) \(path)") }
            }
            defer { willPerform = nil }
            try script()
            crash("at the end")
        }
        return crashes
    }

    /// The same for a script that promises nothing on its way.
    package func crashes(during script: () throws -> Void) rethrows -> [RecordedCrash<Void>] {
        try crashes(mark: {}, during: script)
    }
}
