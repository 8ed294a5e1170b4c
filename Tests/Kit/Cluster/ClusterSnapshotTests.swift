import Shale
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Snapshots of a namespace, on a simulated pool.
@Suite
struct ClusterSnapshotTests {
    private let fixture: ClusterFixture
    private let namespace: ClusterNamespace

    init() async throws {
        fixture = try ClusterFixture()
        namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 3))
    }

    private func keys(_ entries: ClusterEntries) async throws -> [String?] {
        try await entries.array().map(\.key.string)
    }

    @Test
    func aSnapshotSeesItsMomentWhateverHappensLater() async throws {
        for index in 0..<20 { try await namespace.set(index, forKey: "k\(index)", options: .purgeable) }
        try await namespace.set(1, forKey: "e", options: .expires(after: .seconds(5)))
        let before = try await keys(namespace.entries)
        let snapshot = try await namespace.snapshot()
        let other = try await ClusterFixture.client(of: fixture.pool, fixture.time).namespace("a")
        try await other.set(100, forKey: "k1")
        try await other.remove("k2")
        try await other.set(1, forKey: "new")
        try await other.purgeNow()
        _ = try await other.reclaim()
        fixture.time.advance(milliseconds: 10_000)
        #expect(try await keys(snapshot.entries) == before)
        #expect(try await snapshot.value(forKey: "k1", as: Int.self) == 1)
        #expect(try await snapshot.value(forKey: "k2", as: Int.self) == 2)
        #expect(try await snapshot.entry(forKey: "new") == nil)
        #expect(try await snapshot.entries(forKeys: ["k3", "new"]).map { $0 != nil } == [true, false])
        #expect(try await keys(namespace.entries) == ["k1", "new"])
        try await snapshot.release()
        #expect(await code { _ = try await snapshot.entry(forKey: "k1") } == .closed)
        #expect(await code { _ = try await snapshot.entries.array() } == .closed)
        try await snapshot.release()
        #expect(fixture.pool.copyCount == 0)
        #expect(try await namespace.leases().isEmpty)
    }

    @Test
    func aWriteOfAClientThatKnowsNoSnapshotDoesNotChangeIt() async throws {
        try await namespace.set(1, forKey: "k")
        let first = try await namespace.snapshot()
        try await namespace.set(2, forKey: "k")
        let second = try await namespace.snapshot()
        try await namespace.set(3, forKey: "k")
        #expect(try await first.value(forKey: "k", as: Int.self) == 1)
        #expect(try await second.value(forKey: "k", as: Int.self) == 2)
        try await first.release()
        #expect(try await second.value(forKey: "k", as: Int.self) == 2)
        try await second.release()
    }

    @Test
    func largeValuesOfASnapshotStayUntilItsRelease() async throws {
        let large = [UInt8](repeating: 7, count: 100_000)
        try await namespace.set(large, forKey: "k", options: .purgeable)
        let snapshot = try await namespace.snapshot(lease: .seconds(86_400))
        try await namespace.purgeNow()
        try await namespace.set(large, forKey: "replaced")
        try await namespace.set(1, forKey: "replaced")
        fixture.time.advance(milliseconds: 3_600_001)
        let report = try await namespace.reclaim()
        #expect(report.entries == 1)
        #expect(report.objects == 0)
        #expect(try await snapshot.value(forKey: "k", as: [UInt8].self) == large)
        try await snapshot.release()
        fixture.time.advance(milliseconds: 3_600_001)
        #expect(try await namespace.reclaim().objects == 2)
    }

    @Test
    func aPassReleasesSnapshotsWhoseHoldersDied() async throws {
        try await namespace.set(1, forKey: "k")
        // A holder that died renews nothing; this one's clock does not move by itself.
        let snapshot = try await namespace.snapshot(lease: .seconds(60))
        fixture.time.advance(milliseconds: 60_000 + 299_000)
        #expect(try await namespace.reclaim().snapshots == 0)
        fixture.time.advance(milliseconds: 2_000)
        #expect(try await namespace.reclaim().snapshots == 1)
        #expect(fixture.pool.copyCount == 0)
        #expect(await code { _ = try await snapshot.entry(forKey: "k") } == .closed)
        #expect(try await namespace.renewLease(of: snapshot.id, until: .max) == false)
    }

    @Test
    func aLeaseIsRenewed() async throws {
        let snapshot = try await namespace.snapshot(lease: .seconds(60))
        let later = fixture.time.wallMilliseconds + 120_000
        #expect(try await namespace.renewLease(of: snapshot.id, until: later))
        #expect(try await namespace.leases().map(\.end) == [later])
        try await snapshot.release()
        #expect(await code { _ = try await namespace.snapshot(lease: .milliseconds(999)) } == .invalidArgument)
    }

    @Test
    func aDropReleasesSnapshots() async throws {
        try await namespace.set(1, forKey: "k")
        _ = try await namespace.snapshot()
        try await fixture.store.dropNamespace("a")
        #expect(fixture.pool.copyCount == 0)
        #expect(fixture.pool.objects(in: "a").isEmpty)
    }
}
