import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Space of values that nothing refers to any more comes back, and only that.
@Suite struct ValueCollectionTests {
    private func makeStore() throws -> TestStore {
        try TestStore {
            $0.largeValueBytes = 100
            $0.l0CompactionTrigger = 2
        }
    }

    private func fill(_ store: TestStore, _ namespace: NamespaceID, keys: Range<Int>, round: Int) throws {
        for i in keys { try store.put("k\(i)", content(i, round), in: namespace) }
    }

    private func content(_ key: Int, _ round: Int) -> String {
        "\(key)/\(round)/" + String(repeating: "v", count: 4000)
    }

    @Test func aDroppedNamespaceGivesItsFilesBackUnread() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try fill(store, a, keys: 0..<40, round: 0)
        try store.engine.flush()
        #expect(try !store.valueFiles().isEmpty)
        let before = store.files.operationCount
        try store.engine.drop([a])
        try store.engine.reclaim()
        #expect(try store.valueFiles().isEmpty)
        #expect(!store.files.operations.dropFirst(before).contains { $0.kind == .read && $0.path.hasSuffix(".val") })
    }

    @Test func overwrittenValuesAreCollectedToTheBound() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for round in 0..<4 {
            try fill(store, a, keys: 0..<60, round: round)
            // Every third key again, so that files stay partly in use.
            try fill(store, a, keys: 0..<20, round: round + 10)
        }
        try store.engine.flush()
        try store.engine.compact()
        try store.engine.reclaim()
        let statistics = store.engine.statistics
        #expect(statistics.usedValueBytes > 60 * 4000 && statistics.usedValueBytes < 61 * 4100)
        let onDisk = try store.valueFileBytes()
        #expect(onDisk == statistics.valueFileBytes, "no file is left over")
        #expect(Double(onDisk) <= 1.3 * Double(statistics.usedValueBytes) + Double(16 << 10))
        for i in 0..<60 { #expect(try store.get("k\(i)", in: a) == content(i, i < 20 ? 13 : 3)) }
        #expect(try store.engine.verify().problems.isEmpty)
        try store.reopen()
        for i in 0..<60 { #expect(try store.get("k\(i)", in: a) == content(i, i < 20 ? 13 : 3)) }
    }

    /// L0 has too few segments to be compacted for its own sake.
    @Test func valuesThatASingleFlushOverwroteAreCollected() throws {
        let store = try TestStore {
            $0.largeValueBytes = 100
            $0.valueFileBytes = 64 << 20
        }
        let a = try store.namespace("a")
        for round in 0..<2 {
            try fill(store, a, keys: 0..<400, round: round)
            try store.engine.flush()
        }
        try store.engine.reclaim()
        let statistics = store.engine.statistics
        #expect(statistics.usedValueBytes < 401 * 4100)
        #expect(Double(statistics.valueFileBytes) <= 1.3 * Double(statistics.usedValueBytes) + Double(16 << 10))
        #expect(try store.get("k7", in: a) == content(7, 1))
    }

    /// A compaction that has nothing to free must not rewrite other entries.
    @Test func aFewLargeValuesRewriteNoSmallOnes() throws {
        let store = try TestStore {
            $0.largeValueBytes = 1000
            $0.l0CompactionTrigger = 8
            $0.upperCompression = .none
            $0.lastCompression = .none
        }
        let a = try store.namespace("a")
        for i in 0..<3000 { try store.put("k\(i)", String(repeating: "s", count: 200), in: a) }
        try store.engine.compact()
        let before = store.engine.statistics.compactionReadBytes
        for i in 0..<3 {
            try store.put("k\(1000 * i)", content(i, 0), in: a)
            try store.engine.flush()
        }
        #expect(store.engine.statistics.compactionReadBytes == before)
    }

    @Test func aCursorKeepsTheFilesThatItReads() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        try fill(store, a, keys: 0..<10, round: 0)
        try store.engine.flush()
        var cursor = try store.engine.cursor(in: a)
        #expect(try cursor.next())
        try fill(store, a, keys: 0..<10, round: 1)
        try store.engine.flush()
        try store.engine.compact()
        try store.engine.reclaim()
        var count = 1
        while try cursor.next() {
            count += 1
            let value = unsafe cursor.value.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            #expect(value.contains("/0/"))
        }
        #expect(count == 10)
    }
}

extension TestStore {
    func valueFileBytes() throws -> UInt64 {
        let directory = try files.openDirectory("/store/segments", create: false)
        return try valueFiles().reduce(0) { $0 + (try directory.sizeOfFile($1)) }
    }
}
