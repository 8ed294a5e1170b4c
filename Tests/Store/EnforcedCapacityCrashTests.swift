import Shale
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Kills and power losses while writes make room: the capacity holds afterwards, and synced writes are there.
@Suite struct EnforcedCapacityCrashTests {
    /// The size of an entry in the count of the policy: 4 + key (4) + header (2), time (12) and payload (178).
    private static let entryBytes = 200
    private static let capacity = 20
    private static let payload = String(repeating: "v", count: 178)

    private static func open(_ files: SimulatedFileSystem, _ time: ManualTime) throws -> Store {
        var options = Store.Options()
        options.engine.time = time
        options.engine.syncInterval = nil
        options.purgeInterval = nil
        return try Store(
            at: "/store", options: options, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    private static func write(_ index: Int, _ store: Store, _ time: ManualTime) throws {
        try store.common["n"].set(payload, forKey: "\(1000 + index)", durability: .synced)
        time.advance(milliseconds: 1000)
    }

    @Test func theCapacityHoldsAfterACrashAnywhere() throws {
        let files = SimulatedFileSystem(seed: 11)
        let time = ManualTime()
        let store = try Self.open(files, time)
        try store.common["n"].setOptions(
            NamespaceOptions(
                isPurgeable: true,
                purgePolicy: .capacity(Int64(Self.capacity * Self.entryBytes), enforcement: .onWrite)))
        for index in 0..<Self.capacity { try Self.write(index, store, time) }
        var written = Self.capacity
        let every = Ring.choose(commit: 7, nightly: 1, release: 1)
        let crashes = try files.crashes(where: { $0 % every == 0 }, mark: { written }) {
            for index in Self.capacity..<2 * Self.capacity {
                try Self.write(index, store, time)
                written = index + 1
            }
        }
        try store.close()
        for crash in crashes {
            let store = try Self.open(crash.files, time)
            let keys = try store.common["n"].keys.array()
            #expect(keys.count <= Self.capacity, "\(crash.place)")
            #expect(keys.contains(EntryKey("\(1000 + crash.mark - 1)")), "a synced write was lost: \(crash.place)")
            for index in 100..<100 + Self.capacity {
                try Self.write(index, store, time)
                #expect(try store.common["n"].count() <= Self.capacity, "\(crash.place)")
            }
            try store.close()
        }
        Ring.covered(crashes.count, "crashes while writes make room")
        #expect(crashes.count > Self.capacity)
    }
}
