import Shale
import ShaleBase
import ShalePlatform
import TestSupport
import Testing

/// Passes that store earlier versions again in the current one.
@Suite struct ValueMigrationTests {
    private struct Refusal: Error {}

    @Test func everyEarlierVersionBecomesCurrent() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "a")
        try namespace.set(ItemV1(name: "b", count: 2), forKey: "b", using: Item.first)
        try namespace.set(ItemV2(name: "c", tenths: 30), forKey: "c", using: Item.second)
        try namespace.set(Item(name: "d", tenths: 5, tags: ["new"]), forKey: "d", using: Item.codec)
        let report = try namespace.migrateValues(in: KeyRange.all, using: Item.codec)
        #expect(report.examined == 4 && report.migrated == 3 && report.isComplete)
        try fixture.reopen()
        for (key, count) in [("a", 1), ("b", 2), ("c", 3)] {
            #expect(try fixture["n"].value(forKey: key, using: Item.codec) == Item.migrated(key, count))
            #expect(try fixture["n"].storedVersion(forKey: key) == 3)
        }
        let kept = try fixture["n"].value(forKey: "d", using: Item.codec)
        #expect(kept == Item(name: "d", tenths: 5, tags: ["new"]))
        let again = try fixture["n"].migrateValues(in: KeyRange.all, using: Item.codec)
        #expect(again.examined == 4 && again.migrated == 0 && again.isComplete)
    }

    @Test func onlyTheSelectedKeysAreMigrated() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        for key in ["a1", "a2", "b1", "c1"] { try namespace.set(ItemV1(name: key, count: 1), forKey: key) }
        #expect(try namespace.migrateValues(prefix: "a", using: Item.codec).migrated == 2)
        #expect(try namespace.migrateValues(in: "b"..<"c", using: Item.codec).migrated == 1)
        #expect(try namespace.storedVersion(forKey: "c1") == nil)
        #expect(try fixture["missing"].migrateValues(prefix: "a", using: Item.codec).examined == 0)
        #expect(try !fixture["missing"].exists)
    }

    @Test func theEntryKeepsItsOptions() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.setOptions(NamespaceOptions(purgePolicy: .age(.seconds(86_400))))
        let options: ValueOptions = [.purgeable, .expires(after: .seconds(3600))]
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "a", as: .propertyList, options: options)
        try namespace.set(ItemV1(name: "b", count: 1), forKey: "b", as: .json)
        let before = try ["a", "b"].map { try #require(try namespace.info(forKey: $0)) }
        fixture.time.advance(milliseconds: 60_000)
        #expect(try namespace.migrateValues(in: KeyRange.all, using: Item.codec).migrated == 2)
        let after = try ["a", "b"].map { try #require(try namespace.info(forKey: $0)) }
        for (old, new) in zip(before, after) {
            #expect(new.codec == .versioned)
            #expect(new.isPurgeable == old.isPurgeable && new.expiresAt == old.expiresAt)
            #expect(new.writtenAt == old.writtenAt && new.writtenAt != nil)
        }
        guard case .versioned(3, .propertyList) = try namespace.object(forKey: "a") else {
            Issue.record("the document does not keep its format")
            return
        }
        fixture.time.advance(milliseconds: 3_600_000)
        #expect(try namespace.keys.array() == ["b"], "the migrated entry expires when the old one would have")
    }

    @Test func valuesThatCannotBeMigratedStay() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(ItemV1(name: "a", count: 1), forKey: "a")
        try namespace.set("text", forKey: "b")
        try namespace.set(ItemV1(name: "refused", count: 1), forKey: "c")
        try namespace.set(Item.migrated("d", 1), forKey: "d", using: Item.codec.then(Item.self) { $0 })
        try fixture.plant([19, 0, 1], forKey: "e", in: "n")
        try namespace.remove("made")
        let keys = ["b", "c", "d"]
        let before = try keys.map { try namespace.payload(forKey: $0)?.bytes }
        let lenient = Item.codec.recovering { _ in Item(name: "replaced", tenths: 0, tags: []) }
        let report = try namespace.migrateValues(in: KeyRange.all, using: lenient)
        #expect(report.examined == 5 && report.migrated == 1 && report.failed == 3 && report.newer == 1)
        #expect(report.firstFailure?.code == .typeMismatch && !report.isComplete && report.changed == 0)
        #expect(try keys.map { try namespace.payload(forKey: $0)?.bytes } == before)
    }

    @Test func progressRisesToTheWhole() throws {
        let fixture = try StoreFixture()
        for index in 0..<600 { try fixture["n"].set(ItemV1(name: "\(index)", count: index), forKey: "k\(index)") }
        var steps: [ValueMigrationProgress] = []
        try fixture["n"].migrateValues(in: KeyRange.all, using: Item.codec) { steps.append($0) }
        #expect(steps.map(\.examined) == [256, 512, 600] && steps.map(\.migrated) == [256, 512, 600])
        #expect(steps.map(\.fraction) == steps.map(\.fraction).sorted() && steps.last?.fraction == 1)
    }

    @Test func progressMayStopThePass() throws {
        let fixture = try StoreFixture()
        for index in 0..<600 { try fixture["n"].set(ItemV1(name: "\(index)", count: index), forKey: "k\(index)") }
        #expect(throws: Refusal.self) {
            try fixture["n"].migrateValues(in: KeyRange.all, using: Item.codec) { _ in throw Refusal() }
        }
        let rest = try fixture["n"].migrateValues(in: KeyRange.all, using: Item.codec)
        #expect(rest.migrated == 600 - 256, "the first page stays migrated")
        for index in 0..<600 {
            let value = try fixture["n"].value(forKey: "k\(index)", using: Item.codec)
            #expect(value == Item.migrated("\(index)", index))
        }
    }

    @Test func cancellingTheTaskStopsThePass() async throws {
        let fixture = try StoreFixture()
        for index in 0..<600 { try fixture["n"].set(ItemV1(name: "", count: index), forKey: "k\(index)") }
        let namespace = fixture["n"]
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = Locked(false)
        let task = Task {
            try await namespace.migrateValues(in: KeyRange.all, using: Item.codec) { _ in
                step.yield()
                _ = eventually { isCancelled.withLock { $0 } }
            }
        }
        for await _ in steps { break }
        task.cancel()
        isCancelled.withLock { $0 = true }
        let error = await #expect(throws: StorageError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        let report = try await namespace.migrateValues(prefix: "k", using: Item.codec)
        #expect(report.isComplete && report.examined == 600 && report.migrated == 600 - 256)
    }

    @Test func aReadOnlyStoreIsNotChanged() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(ItemV1(name: "a", count: 1), forKey: "a")
        try fixture.reopen { $0.engine.mode = .readOnly }
        let migrating = code { () throws(StorageError) in
            try fixture["n"].migrateValues(in: KeyRange.all, using: Item.codec)
        }
        #expect(migrating == .readOnly)
        #expect(try fixture["n"].value(forKey: "a", using: Item.codec) == Item.migrated("a", 1))
    }
}
