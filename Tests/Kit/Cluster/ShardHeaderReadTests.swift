import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Reads under a header that another client changes.
@Suite
struct ShardHeaderReadTests {
    /// The last generations that the size of an object tells, and the first ones that it does not.
    private static let generations: [UInt64] = [
        1, ShardHeader.sizeMax - 2, ShardHeader.sizeMax - 1, ShardHeader.sizeMax, ShardHeader.sizeMax + 1,
    ]

    private let fixture: ClusterFixture

    init() throws { fixture = try ClusterFixture() }

    /// Returns a namespace of one shard that has a generation, and another client's handle of it.
    private func namespaces(at generation: UInt64) async throws -> (ClusterNamespace, ClusterNamespace) {
        let namespace = try await fixture.store.createNamespace("a", layout: ClusterLayout(shards: 1))
        var header = ShardHeader(namespace: namespace.record.id, index: 0)
        while header.generation < generation { header = header.advanced() }
        try await fixture.pool.write(namespace.object(0), ObjectChange(header.steps))
        let other = try await ClusterFixture.client(of: fixture.pool, fixture.time).namespace("a")
        return (namespace, other)
    }

    @Test(arguments: generations)
    func aReadFindsNothingThatAnotherClientHasErased(generation: UInt64) async throws {
        let (namespace, other) = try await namespaces(at: generation)
        let erasures: [() async throws -> Void] = [{ try await other.purgeNow() }, { try await other.truncate() }]
        for (index, erase) in erasures.enumerated() {
            try await namespace.set(index, forKey: "k", options: .purgeable)
            #expect(try await namespace.value(forKey: "k", as: Int.self) == index)
            try await erase()
            #expect(try await namespace.value(forKey: "k", as: Int.self) == nil)
            #expect(try await namespace.entries.array().isEmpty)
        }
    }

    @Test(arguments: generations)
    func aReadUnderAKnownHeaderIsOneOperation(generation: UInt64) async throws {
        let (namespace, _) = try await namespaces(at: generation)
        try await namespace.set(1, forKey: "k")
        let reads = namespace.core.counters.statistics.reads
        for _ in 0..<5 { #expect(try await namespace.value(forKey: "k", as: Int.self) == 1) }
        #expect(namespace.core.counters.statistics.reads == reads + 5)
    }

    @Test
    func aShardWhoseSizeIsNotThatOfItsHeaderIsDamaged() async throws {
        let (namespace, _) = try await namespaces(at: 3)
        try await namespace.set(1, forKey: "k")
        try await fixture.pool.write(namespace.object(0), ObjectChange([.setSize(7)]))
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .corruption)
    }

    @Test
    func aReadNoticesThatTheNamespaceIsBeingDropped() async throws {
        let (namespace, _) = try await namespaces(at: 1)
        try await namespace.set(1, forKey: "k")
        #expect(try await namespace.value(forKey: "k", as: Int.self) == 1)
        try await fixture.pool.write(namespace.object(0), ObjectChange(ShardHeader.droppedSteps))
        #expect(await code { _ = try await namespace.entry(forKey: "k") } == .namespaceDropped)
    }
}
