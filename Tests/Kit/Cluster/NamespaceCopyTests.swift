import Shale
import ShalePlatform
import Testing

@testable import ShaleCluster

/// Copies between a store in memory and a namespace on a simulated pool.
@Suite
struct NamespaceCopyTests {
    private let fixture: ClusterFixture
    private let store: Store
    private let local: EmbeddedNamespace
    private let remote: ClusterNamespace

    init() async throws {
        fixture = try ClusterFixture()
        var options = Store.Options()
        options.engine.time = fixture.time
        store = try Store.inMemory(options: options)
        local = EmbeddedNamespace(store.common["a"], in: store)
        let layout = ClusterLayout(shards: 4, partitioning: .separator(UInt8(ascii: "/")))
        remote = try await fixture.store.createNamespace("a", layout: layout)
        for index in 0..<1_500 { try await local.set("v\(index)", forKey: "p\(index % 9)/\(index)") }
        try await local.set(7, forKey: "purgeable", options: .purgeable)
        try await local.set(7.5, forKey: "expiring", options: .expires(after: .seconds(60)))
        try await local.set([UInt8](repeating: 9, count: 300_000), forKey: "large")
    }

    private func compared() async throws -> NamespaceDifference {
        try await NamespaceCopy.compare(local.entries, with: remote.entries)
    }

    @Test
    func aCopyHasEverythingAndComesBack() async throws {
        let snapshot = try store.snapshot()
        let steps = Locked(0)
        let report = try await NamespaceCopy { _ in steps.withLock { $0 += 1 } }
            .copy(local.entries(at: snapshot), to: remote)
        #expect(report.entries == 1_503)
        #expect(report.written == 1_503)
        #expect(steps.withLock { $0 } >= 3)
        let difference = try await compared()
        #expect(difference.isEqual)
        #expect(difference.firstCount == 1_503)
        #expect(try await remote.info(forKey: "purgeable")?.isPurgeable == true)
        #expect(try await remote.info(forKey: "expiring") == local.info(forKey: "expiring"))
        let back = EmbeddedNamespace(store.common["back"], in: store)
        let taken = try await remote.snapshot()
        #expect(try await NamespaceCopy().copy(taken.entries, to: back).written == 1_503)
        #expect(try await NamespaceCopy.compare(taken.entries, with: back.entries).isEqual)
        try await taken.release()
    }

    @Test
    func aCopyThatWasInterruptedWritesOnlyWhatIsLeft() async throws {
        fixture.pool.refuseWrites(after: 8)
        #expect(await code { try await NamespaceCopy().copy(local.entries, to: remote) } == .indeterminate)
        fixture.pool.onOperation { _ in nil }
        let copied = try await remote.entries.array().count
        #expect(copied > 0)
        let report = try await NamespaceCopy().copy(local.entries, to: remote)
        #expect(report.entries == 1_503)
        #expect(report.written == 1_503 - copied)
        #expect(try await compared().isEqual)
        #expect(try await NamespaceCopy().copy(local.entries, to: remote).written == 0)
    }

    @Test
    func differencesAreFoundOnBothSides() async throws {
        try await NamespaceCopy().copy(local.entries, to: remote)
        try await remote.set("other", forKey: "p1/1")
        try await remote.set(7, forKey: "purgeable")
        try await remote.remove("p2/2")
        try await remote.set(1, forKey: "zz")
        let difference = try await compared()
        #expect(!difference.isEqual)
        #expect(difference.count == 4)
        #expect(difference.differing == ["p1/1", "purgeable"])
        #expect(difference.onlyInFirst == ["p2/2"])
        #expect(difference.onlyInSecond == ["zz"])
        // A copy repairs all but what only the target has.
        #expect(try await NamespaceCopy().copy(local.entries, to: remote).written == 3)
        #expect(try await compared().onlyInSecond == ["zz"])
    }
}
