import Shale
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Kills and power losses during a pass: every value is there, in its old or its new version, and the next pass
/// migrates the rest once.
@Suite struct ValueMigrationCrashTests {
    private static let entries = 90
    /// With names of this length the pass commits several steps.
    private static let padding = String(repeating: "x", count: 4000)

    private static func open(_ files: SimulatedFileSystem) throws -> Store {
        var options = Store.Options()
        options.engine.time = ManualTime()
        options.engine.syncInterval = nil
        return try Store(
            at: "/store", options: options, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    private static func fill(_ store: Store) throws {
        let namespace = store.common["n"]
        for index in 0..<entries {
            let name = "\(index)\(padding)"
            if index % 2 == 0 {
                try namespace.set(ItemV1(name: name, count: index), forKey: "k\(index)")
            } else {
                try namespace.set(ItemV2(name: name, tenths: index * 10), forKey: "k\(index)", using: Item.second)
            }
        }
        try store.sync()
    }

    /// Checks that every value reads as it should. Returns the number of values that have the current version.
    private static func current(_ store: Store, _ place: String) throws -> Int {
        let namespace = store.common["n"]
        #expect(try namespace.count() == entries, "\(place)")
        var current = 0
        for index in 0..<entries {
            let value = try namespace.value(forKey: "k\(index)", using: Item.codec)
            #expect(value == Item.migrated("\(index)\(padding)", index), "\(place) k\(index)")
            if try namespace.storedVersion(forKey: "k\(index)") == 3 { current += 1 }
        }
        return current
    }

    /// Records crashes at each change of a file during a pass. `sync` also makes every step durable.
    private static func crashes(syncing: Bool) throws -> [RecordedCrash<Int>] {
        let files = SimulatedFileSystem(seed: 7)
        let store = try open(files)
        try fill(store)
        var migrated = 0
        let every = Ring.choose(commit: 5, nightly: 1, release: 1)
        let crashes = try files.crashes(where: { $0 % every == 0 }, mark: { migrated }) {
            let report = try store.common["n"].migrateValues(in: KeyRange.all, using: Item.codec) {
                (step) throws(StorageError) in
                if syncing { try store.sync() }
                migrated = step.migrated
            }
            #expect(report.migrated == entries && report.isComplete)
            try store.sync()
        }
        try store.close()
        return crashes
    }

    @Test(arguments: [false, true]) func aPassIsFinishedAfterACrashAnywhere(_ syncing: Bool) throws {
        let crashes = try Self.crashes(syncing: syncing)
        var partly = 0
        for crash in crashes {
            let store = try Self.open(crash.files)
            let before = try Self.current(store, crash.place)
            if syncing { #expect(before >= crash.mark, "a synced step was lost: \(crash.place)") }
            if 1..<Self.entries ~= before { partly += 1 }
            let report = try store.common["n"].migrateValues(in: KeyRange.all, using: Item.codec)
            #expect(report.migrated == Self.entries - before && report.isComplete, "\(crash.place)")
            #expect(try Self.current(store, crash.place) == Self.entries)
            let again = try store.common["n"].migrateValues(in: KeyRange.all, using: Item.codec)
            #expect(again.migrated == 0, "\(crash.place)")
            try store.close()
        }
        #expect(partly > 0, "no crash was in the middle of \(crashes.count)")
        Ring.covered(crashes.count, "crashes during a migration")
    }
}
