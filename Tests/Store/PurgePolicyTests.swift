import Foundation
import Shale
import ShalePlatform
import TestSupport
import Testing

/// Purging manually, by age, by capacity, and by least recent use.
@Suite struct PurgePolicyTests {
    private static let payload = String(repeating: "v", count: 94)
    /// The size in statistics: 4 + key (6) + header (2), time (12) and payload (94).
    private static let entryBytes: Int64 = 118

    private static func key(_ index: Int) -> String { "key" + String(1000 + index).dropFirst() }

    /// Writes `count` purgeable entries, one each second.
    private static func fill(_ fixture: StoreFixture, _ count: Int, _ namespace: String = "n") throws {
        for index in 0..<count {
            try fixture[namespace].set(payload, forKey: key(index))
            fixture.time.advance(milliseconds: 1000)
        }
    }

    private static func fixture(_ policy: PurgePolicy, isSmall: Bool = false) throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: isSmall)
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true, purgePolicy: policy))
        return fixture
    }

    @Test func byHandNothingGoesByItself() throws {
        let fixture = try Self.fixture(.manual)
        try Self.fill(fixture, 10)
        fixture.time.advance(milliseconds: 86_400_000_000)
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        #expect(try fixture["n"].count() == 10)
        #expect(try fixture["n"].info(forKey: Self.key(0))?.writtenAt == nil)
    }

    @Test func entriesThatAreTooOldAreRemoved() throws {
        let fixture = try Self.fixture(.age(.seconds(3 * 86_400)))
        try Self.fill(fixture, 10)
        try fixture["n"].set(1, forKey: "durable", options: .notPurgeable)
        fixture.time.advance(milliseconds: 3 * 86_400_000 - 6000)
        // A new write resets the age.
        try fixture["n"].set(2, forKey: Self.key(1))
        #expect(try fixture.store.purgeDryRun(by: .policies).entries == 4)
        #expect(try fixture["n"].count() == 11)
        let report = try fixture.store.purge(by: .policies)
        #expect(report.entries == 4 && report.logicalBytes == UInt64(4 * Self.entryBytes))
        #expect(
            try fixture["n"].keys.array() == ["durable"] + [1, 5, 6, 7, 8, 9].map { EntryKey(Self.key($0)) })
        try fixture.reopen()
        fixture.time.advance(milliseconds: 1000)
        #expect(try fixture.store.purge(by: .policies).entries == 1)
        #expect(try fixture.store.purge(by: .policies).entries == 0)
    }

    @Test func entriesFromBeforeThePolicyAreAsOldAsIt() throws {
        let fixture = try StoreFixture()
        try fixture["n"].set(1, forKey: "before", options: .purgeable)
        fixture.time.advance(milliseconds: 50_000)
        try fixture["n"].setOptions(NamespaceOptions(purgePolicy: .age(.seconds(10))))
        fixture.time.advance(milliseconds: 9999)
        // Setting options again does not restart the ages.
        try fixture["n"].setOptions(NamespaceOptions(timeToLive: .seconds(9 * 86_400), purgePolicy: .age(.seconds(10))))
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        fixture.time.advance(milliseconds: 1)
        #expect(try fixture.store.purge(by: .policies).entries == 1)
    }

    @Test func aboveItsCapacityTheOldestGoUntilTheTrim() throws {
        let fixture = try Self.fixture(.capacity(100 * Self.entryBytes))
        try Self.fill(fixture, 100)
        #expect(try fixture.store.purge(by: .policies).entries == 0)
        try fixture["n"].set(Self.payload, forKey: Self.key(100))
        #expect(try fixture.store.purgeDryRun(by: .policies).entries == 51)
        let report = try fixture.store.purge(by: .policies)
        #expect(report.entries == 51)
        #expect(try fixture["n"].keys.array() == (51...100).map { EntryKey(Self.key($0)) })
    }

    @Test func trimmingGoesAsFarAsTheNamespaceSays() throws {
        for (share, left) in [(0.0, 0), (0.25, 5), (1.0, 20)] {
            let fixture = try Self.fixture(.capacity(20 * Self.entryBytes, trimTo: share))
            // All entries have the same time, so the order of keys decides.
            for index in 0..<40 { try fixture["n"].set(Self.payload, forKey: Self.key(index)) }
            #expect(try fixture.store.purge(.namespace(fixture["n"]), by: .policies).entries == UInt64(40 - left))
            #expect(try fixture["n"].keys.array() == (40 - left..<40).map { EntryKey(Self.key($0)) })
        }
    }

    @Test func entriesThatAreReadStayLonger() throws {
        let fixture = try Self.fixture(.leastRecentlyUsed(20 * Self.entryBytes))
        try Self.fill(fixture, 20)
        for index in [3, 4, 5] { #expect(try fixture["n"].string(forKey: Self.key(index)) != nil) }
        // Closing keeps the times of use.
        try fixture.reopen()
        fixture.time.advance(milliseconds: 10_000)
        _ = try fixture["n"].object(forKey: Self.key(6))
        try fixture["n"].set(Self.payload, forKey: "new")
        #expect(try fixture.store.purge(by: .policies).entries == 11)
        let expected = [3, 4, 5, 6, 15, 16, 17, 18, 19].map { EntryKey(Self.key($0)) } + ["new"]
        #expect(try fixture["n"].keys.array() == expected)
        // No namespace for internal use becomes visible to the user.
        #expect(fixture.store.common.namespaceNames == ["n"])
    }

    @Test func theReportIsWhatTheDiskShows() throws {
        let fixture = try Self.fixture(.capacity(1000 * Self.entryBytes), isSmall: true)
        let random = SeededRandom(seed: 9)
        for index in 0..<3000 { try fixture["n"].set(random.bytes(100), forKey: "\(index)") }
        try fixture.store.engine.flush()
        try fixture.store.engine.compact()
        let usage = try fixture.diskUsageAtRest()
        let estimate = try fixture.store.purgeDryRun(by: .policies)
        var fractions: [Double] = []
        var shown: Result<(bytes: Int64, files: Int), any Error>?
        let report = try fixture.store.purge(by: .policies) { (step) in
            fractions.append(step.fraction)
            // Measured here, because the report measures right after this step and the engine's threads continue later.
            if step.fraction == 1 { shown = Result { try fixture.diskUsage() } }
        }
        #expect(report.entries == estimate.entries && report.entries > 2000)
        let left = try #require(shown).get()
        // Allows one block for each file.
        #expect(abs(report.returnedBytes - (usage.bytes - left.bytes)) <= Int64(left.files) * 4096)
        #expect(report.returnedBytes > 0)
        #expect(abs(Double(estimate.returnedBytes) / Double(report.returnedBytes) - 1) < 0.2)
        #expect(fractions == fractions.sorted() && fractions.last == 1)
        try fixture.reopen()
        #expect(try fixture["n"].count() == 3000 - Int(report.entries))
    }

    @Test func aCancelledPassLosesNothingThatStays() throws {
        let fixture = try Self.fixture(.age(.seconds(1)))
        for index in 0..<2000 { try fixture["n"].set(index, forKey: "\(index)") }
        try fixture["n"].set(1, forKey: "durable", options: .notPurgeable)
        fixture.time.advance(milliseconds: 2000)
        let found = code { () throws(StorageError) in
            try fixture.store.purge(by: .policies) { (step) throws(StorageError) in
                if step.fraction > 0.1 { throw StorageError(.cancelled, "enough") }
            }
        }
        #expect(found == .cancelled)
        #expect(try fixture["n"].contains("durable"))
        try fixture.store.purge(by: .policies)
        #expect(try fixture["n"].keys.array() == ["durable"])
    }

    @Test func policiesApplyInTheBackground() async throws {
        let fixture = try Self.fixture(.age(.seconds(1)))
        try Self.fill(fixture, 10)
        fixture.time.advance(milliseconds: 1000)
        // Opening the store starts the thread, because a namespace needs it.
        try fixture.reopen { $0.purgeInterval = .milliseconds(5) }
        let isApplied = try eventually { try fixture["n"].count() == 0 }
        try #require(isApplied)
        let events = fixture.store.purgeEvents
        try fixture["n"].set(1, forKey: "k")
        fixture.time.advance(milliseconds: 1000)
        // The event of the first run may arrive after its entries have gone.
        for await case .applied(let report) in events where report.entries != 10 {
            #expect(report.entries == 1)
            break
        }
    }

    @Test func theEventsEndWhenTheStoreIsClosed() async throws {
        let fixture = try StoreFixture()
        let events = fixture.store.purgeEvents
        try await fixture.store.close()
        for await event in events { Issue.record("\(event) without a policy") }
    }

    /// The bound that lets a run skip a namespace must hold for entries written after the run's snapshot too.
    @Test func entriesWrittenDuringARunAreDueAtTheirAge() throws {
        let fixture = try Self.fixture(.age(.seconds(1)))
        for index in 0..<600 { try fixture["n"].set(index, forKey: "\(index)") }
        fixture.time.advance(milliseconds: 1000)
        let hasWritten = Locked(false)
        let report = try fixture.store.purge(by: .policies) { step in
            guard step.phase == .removing, !hasWritten.withLock({ $0 }) else { return }
            hasWritten.withLock { $0 = true }
            try fixture["n"].set(1, forKey: "during")
            fixture.time.advance(milliseconds: 1000)
        }
        #expect(report.entries == 600)
        #expect(hasWritten.withLock { $0 })
        #expect(try fixture.store.purge(by: .policies).entries == 1)
    }

    @Test func entriesWrittenMeanwhileStay() throws {
        let fixture = try Self.fixture(.capacity(0))
        for index in 0..<500 { try fixture["n"].set(0, forKey: "\(index)") }
        fixture.time.advance(milliseconds: 10)
        let store = fixture.store
        let writer = try WorkerThread.start(name: "writer") {
            do {
                for index in 0..<500 { try store.common["n"].set(1, forKey: "\(index)", options: .notPurgeable) }
            } catch {
                Issue.record(error)
            }
        }
        try store.purge(by: .policies)
        writer.join()
        #expect(try fixture["n"].count() == 500)
        #expect(try fixture["n"].entries.array().allSatisfy { try $0.value(as: Int.self) == 1 })
    }

    @Test func limitsAreChecked() throws {
        let fixture = try StoreFixture()
        let policies: [PurgePolicy] = [
            .age(.zero), .age(.seconds(-1)), .capacity(-1), .capacity(1, trimTo: 1.1), .capacity(1, trimTo: -0.1),
            .capacity(1, trimTo: .nan),
        ]
        for policy in policies {
            #expect(
                code { () throws(StorageError) in
                    try fixture["n"].setOptions(NamespaceOptions(purgePolicy: policy))
                } == .invalidArgument)
        }
        #expect(try !fixture["n"].exists)
    }

    @Test func policiesAreKept() throws {
        let fixture = try StoreFixture()
        let policies: [PurgePolicy] = [
            .manual, .age(.seconds(30 * 86_400)), .capacity(1 << 40, trimTo: 0.75), .leastRecentlyUsed(0, trimTo: 0),
            PurgePolicy(maximumAge: .milliseconds(1), maximumBytes: 7, trimTo: 1, order: .leastRecentlyUsedFirst),
        ]
        for (index, policy) in policies.enumerated() {
            try fixture["\(index)"].setOptions(NamespaceOptions(isVersionScoped: true, purgePolicy: policy))
        }
        try fixture.reopen()
        for (index, policy) in policies.enumerated() {
            let options = try fixture["\(index)"].options
            #expect(options.purgePolicy == policy && options.isVersionScoped)
        }
    }
}
