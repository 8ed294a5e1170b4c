/// The result of a crash at one call of a script.
package struct RecordedCrash<Mark> {
    package let files: SimulatedFileSystem
    /// The script's progress before the crash.
    package let mark: Mark
    /// Kind, seed and call, for messages.
    package let place: String

    package init(files: SimulatedFileSystem, mark: Mark, place: String) {
        self.files = files
        self.mark = mark
        self.place = place
    }
}

extension SimulatedFileSystem {
    /// Runs `script` and returns what crashes of every kind leave: before each call that changes the disk, and after
    /// the last call.
    ///
    /// The caller inspects the results afterwards, because an open call can't wait for one inside it.
    ///
    /// - Parameters:
    ///   - seed: The first seed of the crashes' random choices.
    ///   - isTaken: Selects the crashes to keep, by their number.
    package func crashes<Mark>(
        seed: UInt64 = 0, where isTaken: (Int) -> Bool = { _ in true }, mark: () -> Mark,
        during script: () throws -> Void
    ) rethrows -> [RecordedCrash<Mark>] {
        var crashes: [RecordedCrash<Mark>] = []
        var number = 0
        func crash(_ call: String) {
            for kind in CrashKind.all {
                defer { number += 1 }
                guard isTaken(number) else { continue }
                let seed = seed &+ UInt64(number)
                crashes.append(
                    RecordedCrash(
                        files: kind.crash(self, seed: seed), mark: mark(),
                        place: "\(kind.name), seed \(seed), \(call)"))
            }
        }
        try withoutActuallyEscaping(crash) { crash in
            willPerform = { kind, path in
                if OperationSet.changes.contains(kind) { crash("before \(kind.rawValue) \(path)") }
            }
            defer { willPerform = nil }
            try script()
        }
        crash("at the end")
        return crashes
    }

    /// Records crashes for a script without promises that depend on its progress.
    package func crashes(
        seed: UInt64 = 0, where isTaken: (Int) -> Bool = { _ in true }, during script: () throws -> Void
    ) rethrows -> [RecordedCrash<Void>] {
        try crashes(seed: seed, where: isTaken, mark: {}, during: script)
    }
}

extension Array {
    /// Runs `verify` on each crash. Returns the place and the error of each crash for which it throws.
    package func failures<Mark>(
        _ verify: (RecordedCrash<Mark>) throws -> Void
    ) -> [String] where Element == RecordedCrash<Mark> {
        compactMap { crash in
            do {
                try verify(crash)
                return nil
            } catch {
                return "\(crash.place): \(error)"
            }
        }
    }
}
