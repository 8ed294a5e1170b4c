import ShaleEngine
import ShaleSimulation
import TestSupport
import Testing

/// A compaction with crashes before its calls. After each crash the store shows the same content and can be compacted.
struct KilledCompaction {
    let open: (SimulatedFileSystem) throws -> Engine
    /// One crash of this many is checked.
    let oneIn: Int

    /// Runs `compact` with crashes. After each crash it compares the store with `content` and runs `finish`. Returns
    /// the number of checked crashes.
    func run(
        _ files: SimulatedFileSystem, showing content: [[UInt8]: [[UInt8]: [UInt8]]],
        _ compact: (Engine) throws -> Void, finish: (Engine) throws -> Void, _ place: String = ""
    ) throws -> Int {
        let engine = try open(files)
        let sampling = StateSampling(seed: 31, oneIn: oneIn)
        let crashes = try files.crashes(seed: Ring.seed, where: { sampling.takes($0) }) { try compact(engine) }
        try engine.close()
        for crash in crashes {
            let place = "\(place) \(crash.place) \(Ring.reproduction)"
            let reopened = try open(crash.files)
            #expect(try PopulatedStore.content(reopened) == content, "\(place)")
            try finish(reopened)
            #expect(try reopened.verify().problems.isEmpty, "\(place)")
            #expect(try PopulatedStore.content(reopened) == content, "\(place)")
            try reopened.close()
        }
        return crashes.count
    }
}
