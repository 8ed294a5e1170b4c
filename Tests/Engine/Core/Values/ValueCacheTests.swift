import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// Large values that were read are in the block cache, within its bounds.
@Suite struct ValueCacheTests {
    private func makeStore() throws -> TestStore {
        try TestStore {
            $0.largeValueBytes = 100
            $0.valueFileBytes = 64 << 20
        }
    }

    private static func content(_ key: Int, _ round: Int, bytes: Int = 5000) -> String {
        "\(key)/\(round)/" + String(repeating: "v", count: bytes)
    }

    private func valueReads(_ store: TestStore, since first: Int) -> Int {
        store.files.operations.dropFirst(first).count { $0.kind == .read && $0.path.hasSuffix(".val") }
    }

    @Test func aSecondReadOfAValueReadsNoFile() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for i in 0..<50 { try store.put("k\(i)", Self.content(i, 0), in: a) }
        try store.engine.flush()
        let start = store.files.operationCount
        for _ in 0..<3 { for i in 0..<50 { #expect(try store.get("k\(i)", in: a) == Self.content(i, 0)) } }
        #expect(valueReads(store, since: start) == 50)
        #expect(store.engine.core.segmentEnvironment.cache.statistics.hitCount >= 100)
    }

    @Test func anOverwrittenValueIsNotFoundInTheCache() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for round in 0..<5 {
            for i in 0..<20 { try store.put("k\(i)", Self.content(i, round), in: a) }
            for i in 0..<20 { #expect(try store.get("k\(i)", in: a) == Self.content(i, round)) }
            if round % 2 == 0 { try store.engine.flush() }
        }
    }

    /// Ten times as many values as fit, among them some that are never cached.
    @Test func aSmallCacheKeepsItsBoundAndNoValueIsMistaken() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        let random = SeededRandom(seed: 5)
        let sizes = (0..<400).map { $0 % 40 == 0 ? 1 << 20 : 100 + random.below(60_000) }
        for (i, size) in sizes.enumerated() { try store.put("k\(i)", Self.content(i, 0, bytes: size), in: a) }
        try store.engine.flush()
        for _ in 0..<700 {
            // A few keys more often, so that some values are admitted.
            let i = random.chance(0.5) ? random.below(20) : random.below(400)
            #expect(try store.get("k\(i)", in: a) == Self.content(i, 0, bytes: sizes[i]))
        }
        let cache = store.engine.core.segmentEnvironment.cache.statistics
        #expect(cache.hitCount > 50 && cache.reservedBytes <= cache.capacityBytes + (4 << 20))
        try store.engine.close()
    }

    @Test func severalKeysAreReadThroughTheCache() throws {
        let store = try makeStore()
        let a = try store.namespace("a")
        for i in 0..<20 { try store.put("k\(i)", Self.content(i, 0), in: a) }
        try store.engine.flush()
        let keys = (0..<20).map { Array("k\($0)".utf8) }
        let start = store.files.operationCount
        for _ in 0..<2 {
            let values = try store.engine.values(forKeys: keys, in: a)
            #expect(values.enumerated().allSatisfy { $1 == Array(Self.content($0, 0).utf8) })
        }
        #expect(valueReads(store, since: start) == 20)
    }
}
