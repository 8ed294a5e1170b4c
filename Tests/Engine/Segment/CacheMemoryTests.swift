import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

/// The memory that the cache takes from the system, compared with the budget.
@Suite struct CacheMemoryTests {
    private static let region = PageMemory.alignment

    private func entries(_ count: Int, valueBytes: ClosedRange<Int>, seed: UInt64) -> [TestEntry] {
        EntryMaker(count: count, keyLengths: 16...16, valueLengths: valueBytes, versionChance: 0)
            .make(SeededRandom(seed: seed))
    }

    private func read(_ segment: Segment, _ entries: [TestEntry], _ count: Int, _ random: SeededRandom) throws {
        for _ in 0..<count {
            let entry = entries[random.below(entries.count)]
            #expect(try segment.lookUp(entry.key) == entry)
        }
    }

    /// Blocks of all sizes, from 100 bytes to more than a region's share.
    @Test(arguments: [1, 2, 3]) func theSystemGivesNoMoreThanTheBudgetAllows(seed: UInt64) throws {
        let limit = 3 * CacheMemoryTests.region
        let fixture = try SegmentFixture(cacheBytes: limit)
        let random = SeededRandom(seed: seed)
        var open: [(Segment, [TestEntry])] = []
        for (number, valueBytes) in [0...20, 100...100, 1000...9000, 20_000...60_000, 150_000...200_000].enumerated() {
            let entries = entries(valueBytes.upperBound > 10_000 ? 60 : 2000, valueBytes: valueBytes, seed: seed)
            open.append((try fixture.segment(entries, number: UInt64(number + 1)), entries))
        }
        for _ in 0..<40 {
            let (segment, entries) = open[random.below(open.count)]
            try read(segment, entries, 40, random)
            let statistics = fixture.environment.cache.statistics
            // Blocks that did not enter the cache wait for the next collection.
            #expect(statistics.reservedBytes <= limit + EpochDomain.collectEveryBytes)
            #expect(statistics.bytes <= statistics.reservedBytes)
        }
        #expect(fixture.environment.cache.statistics.evictedCount > 0)
    }

    @Test func nearlyTheWholeBudgetHoldsBlocks() throws {
        let limit = 4 * CacheMemoryTests.region
        let fixture = try SegmentFixture(cacheBytes: limit)
        let entries = entries(18_000, valueBytes: 1000...1000, seed: 5)
        let segment = try fixture.segment(entries)
        try read(segment, entries, 1500, SeededRandom(seed: 6))
        #expect(fixture.environment.cache.statistics.bytes > limit / 10 * 8)
    }

    @Test func aSmallerBudgetGivesMemoryBack() throws {
        let fixture = try SegmentFixture(cacheBytes: 8 * CacheMemoryTests.region)
        let entries = entries(18_000, valueBytes: 1000...1000, seed: 7)
        let segment = try fixture.segment(entries)
        try read(segment, entries, 1500, SeededRandom(seed: 8))
        #expect(fixture.environment.cache.statistics.reservedBytes > 5 * CacheMemoryTests.region)
        fixture.budget.setMemtableBytes(5 * CacheMemoryTests.region)
        for _ in 0..<10 where fixture.environment.cache.statistics.reservedBytes > 3 * CacheMemoryTests.region {
            fixture.environment.cache.trim()
            fixture.domain.quiesce()
        }
        #expect(fixture.environment.cache.statistics.reservedBytes <= 3 * CacheMemoryTests.region)
        #expect(fixture.environment.cache.statistics.blockCount > 0)
        try read(segment, entries, 200, SeededRandom(seed: 9))
    }

    /// While a pin lasts, the memory of evicted blocks is not freed. Reads continue beside the cache, and their memory
    /// is counted.
    @Test func readsGoOnWhenAPinHoldsEverything() throws {
        let fixture = try SegmentFixture(cacheBytes: CacheMemoryTests.region)
        let entries = entries(18_000, valueBytes: 1000...1000, seed: 10)
        let segment = try fixture.segment(entries)
        let pin = fixture.domain.pin()
        try read(segment, entries, 600, SeededRandom(seed: 11))
        #expect(fixture.environment.cache.statistics.reservedBytes > CacheMemoryTests.region)
        fixture.domain.unpin(pin)
        fixture.domain.quiesce()
        #expect(fixture.environment.cache.statistics.reservedBytes <= CacheMemoryTests.region)
    }

    /// A retired block keeps its memory alive after the cache is gone.
    @Test func retiredBlocksOutliveTheirCache() throws {
        let pin = EpochDomain.shared.pin()
        var value = Bytes.empty
        let entries = entries(100, valueBytes: 100...100, seed: 12)
        do {
            let fixture = try SegmentFixture(domain: .shared)
            let segment = try fixture.segment(entries)
            let key = OwnedBytes(entries[40].key)
            let found = try segment.get(key.bytes, hash: XXH3.hash(key.bytes), through: Trailer.sequenceMax)
            value = try #require(found).value
        }
        #expect(value.array() == entries[40].value)
        EpochDomain.shared.unpin(pin)
        EpochDomain.shared.quiesce()
    }
}

/// The units of one region of the cache's memory.
@Suite struct BlockRegionTests {
    @Test func freeUnitsAreThoseThatNoBlockHas() throws {
        let memory = try PageMemory(reserving: BlockRegion.byteCount)
        defer { withExtendedLifetime(memory) {} }
        let region = unsafe BlockRegion(fresh: memory.start)
        #expect(region.isEmpty && region.freeUnits == BlockRegion.freeUnitsMax)
        var longest = 0
        guard let first = unsafe region.take(100, longest: &longest),
            let second = unsafe region.take(70, longest: &longest)
        else {
            Issue.record("an empty region has no room for 170 units")
            return
        }
        #expect(!region.isEmpty && region.freeUnits == BlockRegion.freeUnitsMax - 170)
        #expect(unsafe region.free(first, 100) == 100)
        #expect(region.freeUnits == BlockRegion.freeUnitsMax - 70)
        #expect(unsafe region.free(second, 70) == BlockRegion.freeUnitsMax)
        #expect(region.isEmpty && region.freeUnits == BlockRegion.freeUnitsMax)
    }
}
