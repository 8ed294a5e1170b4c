import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

/// Lookups that hold the block of the last one find what single lookups find, in any order.
@Suite struct NearbyLookupTests {
    private func expectSame(
        _ segment: Segment, _ entries: [TestEntry], _ probes: [(key: [UInt8], limit: SequenceNumber)]
    ) throws {
        let model = Model(entries)
        let lookups = NearbyLookups(segment)
        for (key, limit) in probes {
            let found = try key.lent { (key) throws(StorageError) in try lookups.newest(key, through: limit) }
            let expected = model.newest(key, through: limit)
            #expect(found?.trailer == expected?.trailer, "key \(key) limit \(limit)")
            #expect(found?.expiry == expected?.expiry)
        }
    }

    @Test(arguments: LookupTests.makers.indices, [64, 700, 16 << 10])
    func theyFindTheNewestVersionAtEverySequence(_ maker: Int, _ blockBytes: Int) throws {
        let random = SeededRandom(seed: UInt64(maker + 40))
        let entries = Array(LookupTests.makers[maker].make(random).prefix(300))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries, options: SegmentWriterOptions(blockBytes: blockBytes))
        var probed = probes(around: entries).filter { $0.count >= 4 }.map { (key: $0, limit: Trailer.sequenceMax) }
        for entry in entries {
            for limit in [entry.sequence, entry.sequence - 1, 0] { probed.append((entry.key, limit)) }
        }
        // In the first round blocks are loaded.
        for _ in 0..<2 {
            for place in probed.indices.dropFirst() { probed.swapAt(place, random.below(place + 1)) }
            try expectSame(segment, entries, probed)
            try expectSame(segment, entries, probed.sorted { $0.key.lexicographicallyPrecedes($1.key) })
        }
    }

    @Test func versionsThatFillBlocksAreFoundInTheNextOnes() throws {
        let value = [UInt8](repeating: 7, count: 400_000)
        let key: [UInt8] = [0, 0, 0, 1, 98]
        var entries = [TestEntry.put(1, "a", 50)]
        for sequence in stride(from: SequenceNumber(40), to: 20, by: -1) {
            entries.append(TestEntry(key: key, sequence: sequence, kind: .put, value: value))
        }
        entries.append(.put(1, "c", 2))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        #expect(try segment.blockCount() > 4)
        for _ in 0..<2 {
            let limits = [45, 40, 21, 20, 0, 33, 22, 30, 31, 40] as [SequenceNumber]
            try expectSame(segment, entries, limits.map { (key, $0) } + [([0, 0, 0, 1, 99], 9), (key, 25)])
        }
    }

    @Test func keysOfOneBlockReadItOnce() throws {
        let entries = (100..<200).map { TestEntry.put(1, "key\($0)", 5) }
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        #expect(try segment.blockCount() == 1)
        let all = entries.map { (key: $0.key, limit: Trailer.sequenceMax) }
        try expectSame(segment, entries, all)
        let hits = fixture.environment.cache.statistics.hitCount
        // The first key of a block says nothing about the block before, so it is searched by the index.
        try expectSame(segment, entries, all.reversed())
        #expect(fixture.environment.cache.statistics.hitCount - hits <= 2)
    }
}
