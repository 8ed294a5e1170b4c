import ShalePlatform
import Synchronization
import TestSupport
import Testing

@testable import Shale

/// Capacities that hold with each write.
@Suite struct EnforcedCapacityTests {
    /// The size of an entry in the count of the policy: 4 + key (6) + header (2), time (12) and payload (94).
    private static let entryBytes: Int64 = 118
    private static let payload = String(repeating: "v", count: 94)

    private static func key(_ index: Int) -> String { "key" + String(1000 + index).dropFirst() }
    private static func keys(_ range: Range<Int>) -> [EntryKey] { range.map { EntryKey(key($0)) } }

    private static func fixture(
        _ entries: Int64, _ order: PurgePolicy.Order = .oldestFirst, trimTo: Double = 0.5, isInMemory: Bool = true
    ) throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: true, isInMemory: isInMemory)
        for name in ["n", "m"] {
            try fixture[name].setOptions(
                NamespaceOptions(
                    isPurgeable: true,
                    purgePolicy: PurgePolicy(
                        maximumBytes: entries * entryBytes, trimTo: trimTo, order: order, enforcement: .onWrite)))
        }
        return fixture
    }

    private static func fill(_ fixture: StoreFixture, _ range: Range<Int>) throws {
        for index in range {
            try fixture["n"].set(payload, forKey: key(index))
            fixture.time.advance(milliseconds: 1000)
        }
    }

    /// Returns the bytes of the purgeable entries of a namespace as the policy counts them. The reader sees one moment.
    private static func bytes(_ namespace: Store.Namespace) throws -> Int64 {
        var sum: Int64 = 0
        for entry in try namespace.entries.array() {
            guard try entry.info().isPurgeable else { continue }
            sum += 4 + Int64(entry.key.bytes.count) + 14 + Int64(try entry.value(as: String.self).utf8.count)
        }
        return sum
    }

    @Test func aFullNamespaceMakesRoomForAWriteOldestFirst() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<100)
        #expect(try fixture["n"].count() == 100)
        try Self.fill(fixture, 100..<101)
        #expect(try fixture["n"].keys.array() == Self.keys(50..<101))
        try Self.fill(fixture, 101..<150)
        #expect(try fixture["n"].count() == 100)
        try Self.fill(fixture, 150..<151)
        #expect(try fixture["n"].keys.array() == Self.keys(100..<151))
    }

    @Test func entriesThatWereReadStayWhenAWriteMakesRoom() throws {
        let fixture = try Self.fixture(20, .leastRecentlyUsedFirst)
        try Self.fill(fixture, 0..<20)
        for index in [3, 4] { #expect(try fixture["n"].string(forKey: Self.key(index)) != nil) }
        fixture.time.advance(milliseconds: 1000)
        try Self.fill(fixture, 20..<21)
        #expect(try fixture["n"].keys.array() == Self.keys(3..<5) + Self.keys(12..<21))
    }

    @Test func aWriteTrimsToTheShareOfThePolicy() throws {
        let fixture = try Self.fixture(100, trimTo: 0.9)
        try Self.fill(fixture, 0..<101)
        #expect(try fixture["n"].keys.array() == Self.keys(10..<101))
    }

    @Test func aLargeWriteRemovesWhatItNeeds() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<20)
        let large = String(repeating: "w", count: 97 * Int(Self.entryBytes))
        try fixture["n"].set(large, forKey: "large!")
        #expect(try fixture["n"].keys.array() == Self.keys(18..<20) + ["large!"])
        #expect(try Self.bytes(fixture["n"]) <= 100 * Self.entryBytes)
    }

    @Test func aWriteThatExceedsTheCapacityByItselfIsRefused() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<10)
        let tooLarge = String(repeating: "w", count: 100 * Int(Self.entryBytes))
        let found = code { () throws(StorageError) in try fixture["n"].set(tooLarge, forKey: "large") }
        #expect(found == .invalidArgument)
        #expect(try fixture["n"].keys.array() == Self.keys(0..<10))
        // It may be stored outside of the policy.
        try fixture["n"].set(tooLarge, forKey: "large", options: .notPurgeable)
        try Self.fill(fixture, 10..<100)
        #expect(try fixture["n"].count() == 101)
    }

    @Test func writersTogetherNeverExceedTheCapacity() throws {
        let fixture = try Self.fixture(100)
        let capacity = 100 * Self.entryBytes
        let (store, namespace) = (fixture.store, fixture["n"])
        let isWriting = Atomic(true)
        let writers = try (0..<4).map { number in
            try WorkerThread.start(name: "writer") {
                let random = SeededRandom(seed: UInt64(number))
                do {
                    for _ in 0..<500 {
                        let value = String(repeating: "x", count: Int(random.next() % 600))
                        try namespace.set(value, forKey: "\(random.next() % 2000)")
                        let bytes = try Self.bytes(namespace)
                        #expect(bytes <= capacity, "seed \(number)")
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        let reader = try WorkerThread.start(name: "reader") {
            do {
                while isWriting.load(ordering: .acquiring) { #expect(try Self.bytes(namespace) <= capacity) }
            } catch {
                Issue.record(error)
            }
        }
        for writer in writers { writer.join() }
        isWriting.store(false, ordering: .releasing)
        reader.join()
        #expect(try Self.bytes(namespace) > 0)
        withExtendedLifetime(store) {}
    }

    @Test func batchesOverSeveralNamespacesKeepEachCapacity() throws {
        let fixture = try Self.fixture(100)
        let (store, capacity) = (fixture.store, 100 * Self.entryBytes)
        let writers = try [["n", "m"], ["m", "n"]].enumerated().map { (number, names) in
            try WorkerThread.start(name: "writer") {
                do {
                    for round in 0..<100 {
                        try store.write { batch in
                            for (name, index) in zip(names + names, 0...) {
                                let value = String(repeating: "x", count: 900 * (1 + (round + index) % 4))
                                try batch.set(value, forKey: "\(number) \(round) \(index)", in: store.common[name])
                            }
                        }
                        for name in names { #expect(try Self.bytes(store.common[name]) <= capacity) }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        for writer in writers { writer.join() }
        let tooLarge = String(repeating: "x", count: Int(capacity / 2))
        let found = code { () throws(StorageError) in
            try store.write { (batch) throws(StorageError) in
                try batch.set("small", forKey: "a", in: store.common["m"])
                for key in ["a", "b"] { try batch.set(tooLarge, forKey: key, in: store.common["n"]) }
            }
        }
        #expect(found == .invalidArgument)
        #expect(try !fixture["m"].contains("a"))
    }

    @Test func transactionsAndUpdatesKeepTheCapacity() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<100)
        let namespace = fixture["n"]
        try fixture.store.transaction { transaction in
            for index in 100..<110 { try transaction.set(Self.payload, forKey: Self.key(index), in: namespace) }
        }
        #expect(try namespace.keys.array() == Self.keys(50..<110))
        for index in 110..<200 {
            try namespace.update(forKey: Self.key(index), default: "") { $0 = Self.payload }
            #expect(try Self.bytes(namespace) <= 100 * Self.entryBytes)
        }
    }

    @Test func asynchronousWritesKeepTheCapacity() async throws {
        let fixture = try Self.fixture(100)
        let namespace = fixture["n"]
        for index in 200..<300 {
            try await fixture.store.transaction { transaction in
                try transaction.set(Self.payload, forKey: Self.key(index), in: namespace)
            }
            #expect(try Self.bytes(namespace) <= 100 * Self.entryBytes)
        }
        for index in 300..<400 {
            try await fixture.store.write { try $0.set(Self.payload, forKey: Self.key(index), in: namespace) }
            #expect(try Self.bytes(namespace) <= 100 * Self.entryBytes)
        }
    }

    @Test func replacingEntriesRemovesNoOthers() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<80)
        for _ in 0..<2000 { try fixture["n"].set(Self.payload, forKey: Self.key(7)) }
        #expect(try fixture["n"].count() == 80)
    }

    @Test func entriesThatArePurgedOrRemovedMakeRoom() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<100)
        try fixture["n"].removeAll(prefix: "key04")
        try Self.fill(fixture, 100..<101)
        #expect(try fixture["n"].count() == 91)
        try fixture.store.purgeNow()
        try Self.fill(fixture, 200..<300)
        #expect(try fixture["n"].keys.array() == Self.keys(200..<300))
        try fixture["n"].drop()
        try fixture["n"].set(Self.payload, forKey: "after")
        #expect(try fixture["n"].count() == 1)
    }

    @Test func theCapacityHoldsAfterReopening() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<100)
        for index in 0..<100 { try fixture["n"].set(Self.payload, forKey: Self.key(index)) }
        try fixture.reopen()
        #expect(try fixture["n"].options.purgePolicy.enforcement == .onWrite)
        try Self.fill(fixture, 100..<101)
        #expect(try fixture["n"].count() <= 100)
        #expect(try fixture["n"].contains(EntryKey(Self.key(100))))
    }

    @Test func aSmallerCapacityHoldsFromTheNextWriteOn() throws {
        let fixture = try Self.fixture(100)
        try Self.fill(fixture, 0..<100)
        try fixture["n"].setOptions(
            NamespaceOptions(
                isPurgeable: true, purgePolicy: .capacity(10 * Self.entryBytes, enforcement: .onWrite)))
        try Self.fill(fixture, 100..<101)
        #expect(try fixture["n"].keys.array() == Self.keys(95..<101))
        try fixture["n"].setOptions(NamespaceOptions(isPurgeable: true))
        try Self.fill(fixture, 101..<150)
        #expect(try fixture["n"].count() == 55)
    }

    @Test func aPolicyAtIntervalsRemovesNothingWithAWrite() throws {
        let fixture = try StoreFixture(isInMemory: true)
        try fixture["n"].setOptions(
            NamespaceOptions(isPurgeable: true, purgePolicy: .capacity(10 * Self.entryBytes)))
        try Self.fill(fixture, 0..<100)
        #expect(try fixture["n"].count() == 100)
        #expect(try fixture.store.purge(by: .policies).entries == 95)
    }

    @Test func eventsTellWhatWritesHaveRemoved() async throws {
        let fixture = try Self.fixture(100)
        let events = fixture.store.purgeEvents
        try Self.fill(fixture, 0..<101)
        for await case .applied(let report) in events {
            #expect(report.entries == 50 && report.logicalBytes == UInt64(50 * Self.entryBytes))
            break
        }
    }

    /// The options of a store's file may hold what `setOptions` refuses.
    @Test func everyPolicyOfAFileHasLimits() throws {
        for (maximum, trimTo) in [(Int64.max, 1.0), (.max, 0.9), (.max, 1.0.nextDown), (0, 1), (1, 0)] {
            let policy = PurgePolicy(maximumBytes: maximum, trimTo: trimTo, enforcement: .onWrite)
            let limits = try #require(CapacityLimits(policy))
            #expect(0...limits.removalBytes ~= limits.trimmedBytes && limits.removalBytes <= maximum)
        }
        #expect(CapacityLimits(PurgePolicy(maximumAge: .seconds(1), enforcement: .onWrite)) == nil)
        #expect(CapacityLimits(.capacity(100)) == nil)
    }

    @Test func aPolicyThatCannotBeEnforcedIsRefused() throws {
        let fixture = try StoreFixture(isInMemory: true)
        let policies = [
            PurgePolicy(maximumAge: .seconds(1), enforcement: .onWrite),
            PurgePolicy.capacity(1000, trimTo: 0.95, enforcement: .onWrite),
        ]
        for policy in policies {
            let found = code { () throws(StorageError) in
                try fixture["n"].setOptions(NamespaceOptions(purgePolicy: policy))
            }
            #expect(found == .invalidArgument)
        }
    }
}
