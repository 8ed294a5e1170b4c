import Shale
import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Namespaces on a simulated pool: what only clusters have, and what happens beside other clients.
@Suite
struct ClusterNamespaceTests {
    private let fixture: ClusterFixture

    init() throws { fixture = try ClusterFixture() }

    @Test
    func aNamespaceOpensWithItsLayoutOnly() async throws {
        #expect(await code { _ = try await fixture.store.namespace("a") } == .missing)
        let layout = ClusterLayout(shards: 3, partitioning: .firstBytes(2))
        try await fixture.store.createNamespace("a", layout: layout).set(1, forKey: "k")
        let again = try await fixture.store.createNamespace("a", layout: layout)
        #expect(try await again.value(forKey: "k", as: Int.self) == 1)
        #expect(try await fixture.store.namespace("a").layout == layout)
        #expect(await code { _ = try await fixture.store.createNamespace("a") } == .conflict)
        #expect(fixture.pool.objects(in: "a").count == 4)
    }

    @Test
    func namesAndLayoutsOutOfBoundsAreRefused() async {
        for name in ["", "a\0b", String(repeating: "x", count: 129)] {
            #expect(await code { _ = try await fixture.store.createNamespace(name) } == .invalidArgument)
        }
        for layout in [
            ClusterLayout(shards: 0), ClusterLayout(shards: 65_537), ClusterLayout(partitioning: .firstBytes(0)),
            ClusterLayout(partitioning: .firstBytes(256)), ClusterLayout(timeToLive: .zero),
        ] {
            #expect(await code { _ = try await fixture.store.createNamespace("a", layout: layout) } == .invalidArgument)
        }
    }

    @Test
    func aCreationThatWasInterruptedIsFinishedByAnyClient() async throws {
        fixture.pool.refuseWrites(after: 5)
        #expect(await code { _ = try await fixture.store.createNamespace("a") } == .indeterminate)
        fixture.pool.onOperation { _ in nil }
        let other = try ClusterFixture.client(of: fixture.pool, fixture.time)
        let namespace = try await other.namespace("a")
        try await namespace.set(1, forKey: "k")
        #expect(fixture.pool.objects(in: "a").count == 17)
        #expect(try await fixture.store.namespace("a").value(forKey: "k", as: Int.self) == 1)
    }

    @Test
    func aDropRemovesEverythingAlsoIfItWasInterrupted() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        for index in 0..<40 { try await namespace.set(index, forKey: "k\(index)") }
        fixture.pool.refuseWrites(after: 5)
        #expect(await code { try await fixture.store.dropNamespace("a") } == .indeterminate)
        fixture.pool.onOperation { _ in nil }
        #expect(await code { _ = try await fixture.store.namespace("a") } == .namespaceDropped)
        let new = try await fixture.store.createNamespace("a")
        #expect(try await new.entries.array().isEmpty)
        #expect(await code { try await namespace.set(1, forKey: "k") } == .namespaceDropped)
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .namespaceDropped)
        try await fixture.store.dropNamespace("a")
        try await fixture.store.dropNamespace("a")
        #expect(fixture.pool.objects(in: "a").isEmpty)
    }

    @Test
    func aWriteAfterAnotherClientsPurgeIsNotErasedByIt() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        try await namespace.set(1, forKey: "k", options: .purgeable)
        let other = try ClusterFixture.client(of: fixture.pool, fixture.time)
        try await other.namespace("a").purgeNow()
        // This client still has the shard's older header.
        try await namespace.set(2, forKey: "k", options: .purgeable)
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 2)
        #expect(fixture.store.statistics.overtaken == 1)
    }

    @Test
    func anUpdateNeverBuildsOnWhatAPurgeHasErased() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        try await namespace.set(41, forKey: "k", options: .purgeable)
        let other = try await ClusterFixture.client(of: fixture.pool, fixture.time).namespace("a")
        let key = Array("k".utf8)
        let (shard, pool) = (namespace.shard(of: key), fixture.pool)
        let header = try await other.currentHeader(shard)
        let isPurged = Locked(false)
        // The purge happens between the read of the update and its write.
        pool.onOperation { operation in
            guard case .write(let object, _) = operation, object == namespace.object(shard) else { return nil }
            guard !isPurged.withLock({ $0 }) else { return nil }
            isPurged.withLock { $0 = true }
            return .preceded(object, ObjectChange(header.purging().steps))
        }
        var seen: [Int?] = []
        try await namespace.update(forKey: "k") { (entry) throws(StorageError) -> EntryUpdate in
            let value = try entry.map { (entry) throws(StorageError) in try entry.value(as: Int.self) }
            seen.append(value)
            return try .set((value ?? 0) + 1)
        }
        #expect(seen == [41, nil])
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 1)
    }

    @Test
    func aPassRemovesWhatNoReaderSeesAndNothingElse() async throws {
        let namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 3))
        for index in 0..<30 { try await namespace.set(index, forKey: "p\(index)", options: .purgeable) }
        for index in 0..<20 { try await namespace.set(index, forKey: "k\(index)") }
        for index in 0..<10 {
            try await namespace.set(index, forKey: "e\(index)", options: .expires(after: .seconds(1)))
        }
        #expect(try await namespace.purgeDryRun().entries == 30)
        try await namespace.purgeNow()
        fixture.time.advance(milliseconds: 2_000)
        #expect(try await namespace.reclaim(dryRun: true).entries == 30)
        #expect(fixture.pool.entryCount(in: "a") == 60)
        let report = try await namespace.reclaim()
        #expect(report.entries == 30)
        #expect(report.examined == 60)
        #expect(fixture.pool.entryCount(in: "a") == 30)
        // Expired entries stay for as long as the clocks of clients may differ.
        fixture.time.advance(milliseconds: 300_000)
        #expect(try await namespace.reclaim().entries == 10)
        #expect(try await namespace.entries.array().count == 20)
    }

    @Test
    func aPassSparesWhatIsWrittenMeanwhile() async throws {
        let namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 1))
        try await namespace.set(1, forKey: "k", options: .purgeable)
        try await namespace.purgeNow()
        let header = try await namespace.currentHeader(0)
        let fresh = ClusterEntry(
            generation: header.generation, isPurgeable: true, expiresAtMilliseconds: nil,
            content: .envelope([4, 0, 2, 0, 0, 0, 0, 0, 0, 0]))
        let name = EntryName.name(of: Array("k".utf8))
        let bytes = fresh.bytes(namespace: namespace.record.id, key: Array("k".utf8))
        let pool = fixture.pool
        let object = namespace.object(0)
        let isDone = Locked(false)
        // Another client's write happens just before the removal.
        pool.onOperation { operation in
            guard case .write(_, let change) = operation, !isDone.withLock({ $0 }) else { return nil }
            guard change.steps.contains(where: { if case .removeEntries = $0 { true } else { false } }) else {
                return nil
            }
            isDone.withLock { $0 = true }
            return .preceded(object, ObjectChange([.setEntries([ObjectEntry(name: name, value: bytes)])]))
        }
        #expect(try await namespace.reclaim().entries == 0)
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 2)
    }

    @Test
    func damagedAndMovedEntriesAreErrors() async throws {
        let namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 2))
        try await namespace.set("one", forKey: "a")
        try await namespace.set("two", forKey: "b")
        fixture.pool.exchangeEntries(in: "a")
        #expect(await code { _ = try await namespace.entry(forKey: "a") } == .corruption)
        #expect(await code { _ = try await namespace.entries.array() } == .corruption)
        fixture.pool.exchangeEntries(in: "a")
        #expect(try await namespace.value(forKey: "a", as: String.self) == "one")
        fixture.pool.damage("a") { $0[12] ^= 1 }
        #expect(await code { _ = try await namespace.entry(forKey: "b") } == .corruption)
    }

    @Test
    func failuresOfTheClusterAreTypedErrors() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        try await namespace.set(1, forKey: "k")
        func expect(_ kind: PoolFailure.Kind, write: StorageError.Code, read: StorageError.Code) async {
            fixture.pool.onOperation { _ in .refused(kind) }
            #expect(await code { try await namespace.set(2, forKey: "k") } == write)
            #expect(await code { _ = try await namespace.entry(forKey: "k") } == read)
        }
        await expect(.timedOut, write: .indeterminate, read: .unavailable)
        await expect(.full, write: .noSpace, read: .noSpace)
        await expect(.forbidden, write: .readOnly, read: .locked)
        await expect(.other(5), write: .ioFailure, read: .ioFailure)
        fixture.pool.onOperation { _ in nil }
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 1)
        await fixture.store.close()
        #expect(await code { try await namespace.set(2, forKey: "k") } == .closed)
        #expect(fixture.store.statistics.timeouts == 2)
    }

    @Test
    func aLostAnswerMayHideAWriteThatHappened() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        fixture.pool.onOperation { if case .write = $0 { .answerLost } else { nil } }
        #expect(await code { try await namespace.set(2, forKey: "k") } == .indeterminate)
        fixture.pool.onOperation { _ in nil }
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 2)
    }

    /// A cluster without space makes writes wait. Removals, purges and passes work.
    @Test
    func aFullClusterIsATypedErrorAndCanBePurged() async throws {
        let namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 1))
        try await namespace.set(1, forKey: "k", options: .purgeable)
        try await namespace.set(2, forKey: "r")
        fixture.pool.onOperation { operation in
            guard case .write(_, let change) = operation, !change.isTriedWithoutSpace else { return nil }
            return .refused(.timedOut)
        }
        #expect(await code { try await namespace.set(3, forKey: "k") } == .indeterminate)
        fixture.pool.setHealth(
            #"{"status":"HEALTH_ERR","checks":{"POOL_FULL":{"severity":"HEALTH_WARN","#
                + #""summary":{"message":"1 pool(s) full","count":1}}}}"#)
        #expect(await code { try await namespace.set(3, forKey: "k") } == .noSpace)
        #expect(await code { _ = try await namespace.compareAndSet(3, forKey: "k", expecting: 1) } == .noSpace)
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 1)
        try await namespace.remove("r")
        try await namespace.purgeNow()
        #expect(try await namespace.reclaim().entries == 1)
        #expect(fixture.pool.entryCount(in: "a") == 0)
        // A write whose answer alone was lost has happened.
        fixture.pool.onOperation { operation in
            guard case .write(_, let change) = operation, !change.isTriedWithoutSpace else { return nil }
            return .answerLost
        }
        try await namespace.set(4, forKey: "k")
        fixture.pool.onOperation { _ in nil }
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 4)
    }

    @Test
    func aWriteFromBeforeAFenceNeverHappensAfterIt() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        let other = try await ClusterFixture.client(of: fixture.pool, fixture.time).namespace("a")
        try await namespace.set(1, forKey: "k", options: .purgeable)
        let late = Locked<(ObjectName, ObjectChange)?>(nil)
        fixture.pool.onOperation { operation in
            guard case .write(let object, let change) = operation else { return nil }
            late.withLock { $0 = (object, change) }
            return .refused(.timedOut)
        }
        #expect(await code { try await namespace.set(2, forKey: "k") } == .indeterminate)
        fixture.pool.onOperation { _ in nil }
        try await other.fence(forKey: "k")
        try await other.set(3, forKey: "k")
        let (object, change) = try #require(late.withLock { $0 })
        await #expect(throws: PoolFailure.self) { try await fixture.pool.write(object, change) }
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 3)
        // A fence erases nothing.
        try await namespace.set(4, forKey: "p", options: .purgeable)
        try await other.fence(forKey: "p")
        #expect(try await namespace.value(forKey: "p", as: Int.self) == 4)
    }

    @Test
    func limitsAreCheckedBeforeAnythingIsWritten() async throws {
        let namespace = try await fixture.store.createNamespace(
            "a", layout: ClusterLayout(partitioning: .firstBytes(1)))
        let inline = [UInt8](repeating: 1, count: ClusterLimits.inlineBytes)
        try await namespace.set(inline, forKey: "k")
        #expect(try await namespace.value(forKey: "k", as: [UInt8].self) == inline)
        let large = [UInt8](repeating: 1, count: ClusterLimits.valueBytes + 1)
        #expect(await code { try await namespace.set(large, forKey: "k") } == .invalidArgument)
        #expect(
            await code {
                try await namespace.write { (changes) throws(StorageError) in
                    for index in 0...ClusterLimits.changesInBatch { try changes.set(index, forKey: "k\(index)") }
                }
            } == .invalidArgument)
        #expect(
            await code {
                try await namespace.write { (changes) throws(StorageError) in
                    for index in 0..<257 { try changes.set(inline, forKey: "k\(index)") }
                }
            } == .invalidArgument)
        #expect(await code { try await namespace.set(1, forKey: "k", options: .encrypted) } == .cipherMismatch)
        #expect(fixture.pool.entryCount(in: "a") == 1)
    }

    @Test
    func announcedChangesAreHintsForAllClients() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        let other = try await ClusterFixture.client(of: fixture.pool, fixture.time).namespace("a")
        var hints = try await namespace.hints().makeAsyncIterator()
        try await other.set(1, forKey: "k")
        try await other.announce("k")
        fixture.pool.tell(ObjectName(namespace: "a", name: "shale"), .interrupted)
        try await namespace.announce("own")
        #expect(await hints.next() == .changed("k"))
        #expect(await hints.next() == .missed)
        #expect(await hints.next() == .changed("own"))
        #expect(fixture.pool.watchCount == 1)
        let stream = try await namespace.hints()
        let reading = Task { for await _ in stream {} }
        reading.cancel()
        await reading.value
        #expect(fixture.pool.watchCount == 1)
    }

    @Test
    func healthIsWhatTheMonitorsReport() async throws {
        #expect(try await fixture.store.health().status == .healthy)
        fixture.pool.setHealth(
            #"{"status":"HEALTH_WARN","checks":{"OSD_DOWN":{"severity":"HEALTH_WARN","#
                + #""summary":{"message":"1 osds down","count":1}}}}"#)
        let health = try await fixture.store.health()
        #expect(health.status == .warning)
        #expect(health.problems == ["1 osds down"])
        for text in ["", "[]", #"{"status":"HEALTH_MAYBE","checks":{}}"#] {
            fixture.pool.setHealth(text)
            #expect(await code { _ = try await fixture.store.health() } == .unavailable)
        }
    }

    @Test
    func aCancelledReadThrows() async throws {
        let namespace = try await fixture.store.createNamespace("a")
        let task = Task { () async -> StorageError.Code? in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await code { _ = try await namespace.entry(forKey: "k") }
        }
        let outcome = await task.value
        #expect(outcome == .cancelled)
    }
}
