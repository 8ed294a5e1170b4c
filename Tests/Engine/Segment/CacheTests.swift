import ShaleBase
import ShalePlatform
import Testing

@testable import ShaleSegment

@Suite struct CacheTests {
    private let entries = EntryMaker(count: 3000, keyLengths: 16...16, valueLengths: 100...100, versionChance: 0)
        .make(SeededRandom(seed: 90))

    @Test func aBlockIsReadOnceAndThenHit() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        for _ in 0..<3 { for entry in entries { #expect(try segment.lookUp(entry.key) == entry) } }
        let statistics = fixture.environment.cache.statistics
        let blockCount = try segment.blockCount()
        #expect(statistics.missCount == blockCount)
        #expect(statistics.insertedCount == blockCount)
        #expect(statistics.blockCount == blockCount)
        #expect(statistics.hitCount == 3 * entries.count - blockCount)
        #expect(statistics.evictedCount == 0)
    }

    @Test func theBudgetIsKept() throws {
        let fixture = try SegmentFixture(cacheBytes: 200 << 10)
        let segment = try fixture.segment(entries)
        let random = SeededRandom(seed: 91)
        for _ in 0..<5000 {
            let entry = entries[random.below(entries.count)]
            #expect(try segment.lookUp(entry.key) == entry)
            let statistics = fixture.environment.cache.statistics
            #expect(statistics.bytes <= statistics.capacityBytes)
        }
        let statistics = fixture.environment.cache.statistics
        #expect(statistics.evictedCount > 0)
        #expect(statistics.insertedBytes - statistics.evictedBytes == statistics.bytes)
    }

    @Test func chargesOfOthersShrinkTheCache() throws {
        let fixture = try SegmentFixture(cacheBytes: 1 << 20)
        let segment = try fixture.segment(entries)
        for entry in entries { _ = try segment.lookUp(entry.key) }
        let before = fixture.environment.cache.statistics.bytes
        fixture.budget.setMemtableBytes((1 << 20) - before / 2)
        fixture.environment.cache.trim()
        #expect(fixture.environment.cache.statistics.bytes <= before / 2)
        #expect(fixture.budget.charged(for: .tables) > 0)
    }

    /// A scan that uses each block once evicts its own blocks, the oldest first, and none that were used again.
    @Test func hotBlocksSurviveAScanThroughTheCache() throws {
        let entries = EntryMaker(count: 12_000, keyLengths: 16...16, valueLengths: 100...100, versionChance: 0)
            .make(SeededRandom(seed: 92))
        let fixture = try SegmentFixture(cacheBytes: 400 << 10)
        let segment = try fixture.segment(entries)
        let hot = entries.prefix(300)
        for _ in 0..<3 { for entry in hot { _ = try segment.lookUp(entry.key) } }
        let step = 2 * entries.count / (try segment.blockCount())
        let scanned = stride(from: 1000, to: entries.count, by: step).map { entries[$0] }
        for entry in scanned { _ = try segment.lookUp(entry.key) }
        let cache = fixture.environment.cache
        #expect(cache.statistics.evictedCount > scanned.count / 4)
        let missesOf = { (entries: ArraySlice<TestEntry>) in
            let before = cache.statistics.missCount
            for entry in entries { _ = try segment.lookUp(entry.key) }
            return cache.statistics.missCount - before
        }
        #expect(try missesOf(hot) == 0)
        #expect(try missesOf(scanned.suffix(10)) == 0)
        #expect(try missesOf(scanned.prefix(10)) == 10)
    }

    @Test func lookupsThatDoNotFillLeaveTheCacheAlone() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        for entry in entries.prefix(50) { #expect(try segment.lookUp(entry.key, fillCache: false) == entry) }
        let statistics = fixture.environment.cache.statistics
        #expect(statistics.insertedCount == 0)
        #expect(statistics.missCount == 50)
    }

    @Test func aBlockLargerThanAnEighthOfTheCacheStaysOutside() throws {
        let fixture = try SegmentFixture(cacheBytes: 1 << 20)
        let large = TestEntry(
            key: [0, 0, 0, 1, 1], sequence: 1, kind: .put, value: SeededRandom(seed: 1).bytes(200_000))
        let segment = try fixture.segment([large, .put(1, "z", 2)])
        #expect(try segment.lookUp(large.key) == large)
        #expect(fixture.environment.cache.statistics.insertedCount == 0)
        #expect(try segment.lookUp([0, 0, 0, 1, 122])?.sequence == 2)
        #expect(fixture.environment.cache.statistics.insertedCount == 1)
    }

    @Test func blocksLeaveWithTheirSegment() throws {
        let fixture = try SegmentFixture()
        var segment: Segment? = try fixture.segment(entries)
        for entry in entries { _ = try segment?.lookUp(entry.key) }
        #expect(fixture.environment.cache.statistics.blockCount > 0)
        segment = nil
        #expect(fixture.environment.cache.statistics.blockCount == 0)
        #expect(fixture.environment.cache.statistics.bytes == 0)
        #expect(fixture.budget.charged(for: .tables) == 0)
        #expect(fixture.environment.files.openCount == 0)
    }

    @Test func aBlockOfAPinnedReaderStaysUntilItUnpins() throws {
        let fixture = try SegmentFixture(cacheBytes: 200 << 10)
        let segment = try fixture.segment(entries)
        let pin = fixture.domain.pin()
        defer { fixture.domain.unpin(pin) }
        var lent: [(TestEntry, Bytes)] = []
        for entry in entries {
            let key = OwnedBytes(entry.key)
            let found = try segment.get(
                key.bytes, hash: XXH3.hash(key.bytes), through: Trailer.sequenceMax, fillCache: true)
            lent.append((entry, try #require(found).value))
            fixture.domain.collect()
        }
        #expect(fixture.environment.cache.statistics.evictedCount > 10)
        for (entry, value) in lent { #expect(value.array() == entry.value) }
    }
}

/// The hints that the cache and the readers remember. A wrong hint costs time but changes no answer, so only these
/// tests notice it.
@Suite struct CachePolicyTests {
    /// A fingerprint of one of two buckets.
    private static func fingerprint(_ number: UInt64, bucket: UInt64) -> UInt64 { number << 32 | bucket }

    @Test func aGhostIsMetOnceAndOthersAreNot() {
        var ghosts = GhostSet(capacity: 8)
        let ghost = Self.fingerprint(1, bucket: 0)
        ghosts.insert(ghost)
        // The last one is what an empty place holds.
        let tried = [Self.fingerprint(2, bucket: 0), Self.fingerprint(1, bucket: 1), ghost, ghost, 0]
        let met = tried.map { ghosts.remove($0) }
        #expect(met == [false, false, true, false, false])
    }

    /// A set of 8 places remembers a block for 8 insertions, wherever those go.
    @Test(arguments: UInt64(1)...12) func aGhostIsForgottenAfterAsManyInsertionsAsThereArePlaces(insertions: UInt64) {
        var ghosts = GhostSet(capacity: 8)
        for number in 0..<insertions { ghosts.insert(Self.fingerprint(number, bucket: number == 0 ? 0 : 1)) }
        let isKnown = ghosts.remove(Self.fingerprint(0, bucket: 0))
        #expect(isKnown == (insertions <= 8))
    }

    /// A bucket has four places: the fifth ghost takes the oldest one's.
    @Test func aFullBucketForgetsItsOldestGhost() {
        var ghosts = GhostSet(capacity: 8)
        for number in UInt64(1)...5 { ghosts.insert(Self.fingerprint(number, bucket: 1)) }
        let known = (UInt64(1)...5).filter { ghosts.remove(Self.fingerprint($0, bucket: 1)) }
        #expect(known == [2, 3, 4, 5])
    }

    @Test func aReaderRemembersWhetherItsLastLookupMetAKey() {
        let notes = ReaderHints()
        #expect(!notes.expectsKey)
        notes.expect(key: true)
        #expect(notes.expectsKey)
        notes.expect(key: false)
        #expect(!notes.expectsKey)
    }
}
