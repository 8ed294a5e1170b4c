import Shale
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Values that have objects of their own, on a simulated pool.
@Suite
struct LargeValueTests {
    private let fixture: ClusterFixture
    private let namespace: ClusterNamespace

    init() async throws {
        fixture = try ClusterFixture()
        namespace = try await fixture.store.createNamespace(
            "a", layout: ClusterLayout(shards: 2, partitioning: .separator(UInt8(ascii: "/"))))
    }

    private func large(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 200_000) }

    private var valueObjects: [String] { fixture.pool.objects(in: "a").filter { $0.hasPrefix("v.") } }

    /// Runs a pass after the time that writers have.
    private func passLater() async throws -> ClusterPurgeReport {
        fixture.time.advance(milliseconds: 3_600_001)
        return try await namespace.reclaim()
    }

    @Test
    func largeValuesComeBackFromReadsScansAndBatches() async throws {
        try await namespace.write { (changes) throws(StorageError) in
            try changes.set(large(1), forKey: "u/a")
            try changes.set(large(2), forKey: "u/b")
            try changes.set("small", forKey: "u/c")
        }
        #expect(try await namespace.value(forKey: "u/a", as: [UInt8].self) == large(1))
        #expect(try await namespace.values(forKeys: ["u/b", "u/x"], as: [UInt8].self) == [large(2), nil])
        #expect(try await namespace.info(forKey: "u/a")?.payloadByteCount == 200_000)
        let found = try await namespace.entries(prefix: "u/").array()
        #expect(try found.prefix(2).map { try $0.value(as: [UInt8].self) } == [large(1), large(2)])
        #expect(valueObjects.count == 2)
        #expect(try await passLater().objects == 0)
        #expect(valueObjects.count == 2)
    }

    @Test
    func aPassRemovesObjectsThatNoEntryNames() async throws {
        try await namespace.set(large(1), forKey: "replaced")
        try await namespace.set("small", forKey: "replaced")
        try await namespace.set(large(2), forKey: "removed")
        try await namespace.remove("removed")
        try await namespace.set(large(3), forKey: "kept")
        try await namespace.set(large(4), forKey: "purged", options: .purgeable)
        try await namespace.purgeNow()
        #expect(try await namespace.reclaim(dryRun: true).entries == 1)
        // The purged entry names its object until it is removed; the others may belong to writes in progress.
        let first = try await namespace.reclaim()
        #expect(first.entries == 1)
        #expect(first.objects == 1)
        #expect(first.bytes > 200_000)
        #expect(valueObjects.count == 3)
        #expect(try await passLater().objects == 2)
        #expect(valueObjects.count == 1)
        #expect(try await namespace.value(forKey: "kept", as: [UInt8].self) == large(3))
        #expect(fixture.pool.entryCount(in: "a") == 3)
    }

    /// Every write of a client that dies after a number of operations leaves the old value or the new one, and a pass
    /// removes what it left.
    @Test(arguments: 0..<4)
    func aWriterThatDiesLeavesNothingThatAPassDoesNotFind(_ survived: Int) async throws {
        try await namespace.set("old", forKey: "k")
        fixture.pool.refuseWrites(after: survived)
        let outcome = await code { try await namespace.set(large(1), forKey: "k") }
        fixture.pool.onOperation { _ in nil }
        let isNew = survived >= 3
        #expect(outcome == (isNew ? nil : .indeterminate))
        #expect(try await namespace.object(forKey: "k")?.codec == (isNew ? .data : .string))
        _ = try await passLater()
        #expect(valueObjects.count == (isNew ? 1 : 0))
        #expect(fixture.pool.entryCount(in: "a") == (isNew ? 2 : 1))
        #expect(try await namespace.object(forKey: "k")?.codec == (isNew ? .data : .string))
    }

    /// A pass that dies after a number of operations is finished by the next one.
    @Test(arguments: 0..<4)
    func aPassThatDiesIsFinishedByTheNext(_ survived: Int) async throws {
        try await namespace.set(large(1), forKey: "k")
        try await namespace.set("small", forKey: "k")
        fixture.time.advance(milliseconds: 3_600_001)
        fixture.pool.refuseWrites(after: survived)
        let outcome = await code { _ = try await namespace.reclaim() }
        #expect(outcome == (survived >= 3 ? nil : .indeterminate))
        fixture.pool.onOperation { _ in nil }
        _ = try await namespace.reclaim()
        #expect(valueObjects.isEmpty)
        #expect(fixture.pool.entryCount(in: "a") == 1)
    }

    @Test
    func aWriterThatAPassHasTakenForDeadBeginsAgain() async throws {
        let (pool, namespace, time) = (fixture.pool, namespace, fixture.time)
        let shard = namespace.object(namespace.shard(of: Array("k".utf8)))
        // The pass comes between the object and the entry: its last step has left no note.
        let isDone = Locked(false)
        pool.onOperation { operation in
            guard case .write(let object, let change) = operation, object == shard else { return nil }
            guard
                case .requireEntry(let name, _)? = change.steps.first(where: {
                    if case .requireEntry = $0 { true } else { false }
                }), !isDone.withLock({ $0 })
            else { return nil }
            isDone.withLock { $0 = true }
            return .preceded(shard, ObjectChange([.removeEntries([name])]))
        }
        try await namespace.set(large(1), forKey: "k")
        pool.onOperation { _ in nil }
        #expect(isDone.withLock { $0 })
        #expect(try await namespace.value(forKey: "k", as: [UInt8].self) == large(1))
        time.advance(milliseconds: 3_600_001)
        #expect(try await namespace.reclaim().objects == 0)
        #expect(try await namespace.value(forKey: "k", as: [UInt8].self) == large(1))
    }

    @Test
    func aReaderOfAReplacedValueReadsThePresentOne() async throws {
        try await namespace.set(large(1), forKey: "k")
        let found = try #require(try await namespace.present.lookUp(Array("k".utf8)).found)
        try await namespace.set(large(2), forKey: "k")
        _ = try await passLater()
        let entry = try #require(try await namespace.present.delivered(found))
        #expect(try entry.value(as: [UInt8].self) == large(2))
        try await namespace.remove("k")
        _ = try await passLater()
        #expect(try await namespace.present.delivered(found) == nil)
    }

    @Test
    func lostAndDamagedObjectsAreErrors() async throws {
        try await namespace.set(large(1), forKey: "k")
        let object = ObjectName(namespace: "a", name: valueObjects[0])
        try await fixture.pool.write(object, ObjectChange([.setData(large(2))]))
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .corruption)
        try await fixture.pool.write(object, ObjectChange([.removeObject]))
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .corruption)
    }

    @Test
    func aDropRemovesTheObjects() async throws {
        for index in 0..<5 { try await namespace.set(large(UInt8(index)), forKey: "k\(index)") }
        try await fixture.store.dropNamespace("a")
        #expect(fixture.pool.objects(in: "a").isEmpty)
        #expect(await code { try await namespace.set(1, forKey: "k") } == .namespaceDropped)
    }
}
