import ShaleEngine
import ShaleSimulation
import TestSupport
import Testing

/// A compaction that is crashed before its calls: what each crash leaves shows the same, and is compacted from there.
struct KilledCompaction {
    let open: (SimulatedFileSystem) throws -> Engine
    /// One of so many crashes is looked into.
    let oneIn: Int

    /// `content` is what the store shows, `compact` what is crashed, `finish` what comes after a crash. Returns how many
    /// crashes were looked into.
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
