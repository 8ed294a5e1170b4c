import ShaleBase
import ShalePlatform
import ShaleSegment

extension HotPath {
    static let filterProbe = HotPath("filter-probe", "one question to a filter, half about keys that are there") {
        let fixture = try SegmentFixture()
        return { operations in try filterLoop(fixture.segment, fixture.hashes, operations) }
    }

    static let cacheHit = HotPath("cache-hit", "one block from the cache") {
        let fixture = try SegmentFixture()
        return { operations in try cacheLoop(fixture.probe, fixture.blockCount, operations) }
    }

    static let blockSearch = HotPath("block-search", "one search in a block of 16 KiB") {
        let fixture = try SegmentFixture()
        return { operations in
            try fixture.pinned { () throws(StorageError) in
                // The middle block and the keys in it.
                let middle = fixture.blockCount / 2
                let block = try fixture.probe.block(middle)
                return blockSearchLoop(block, fixture.data, try fixture.firstEntry(of: middle), operations)
            }
        }
    }

    static let blockScan = HotPath("block-scan", "one entry of a walk over cached blocks in order") {
        let fixture = try SegmentFixture()
        let cursor = EntryCursor(fixture.segment, headOffset: EncodedKey.namespaceWidth)
        return { operations in try fixture.pinned { () throws(StorageError) in try scanLoop(cursor, operations) } }
    }

    static let segmentGet = HotPath("segment-get", "one lookup of a key whose block is cached") {
        let fixture = try SegmentFixture()
        return { operations in
            try fixture.pinned { () throws(StorageError) in
                try segmentGetLoop(fixture.segment, fixture.data, operations)
            }
        }
    }

    static let blockEncode = HotPath("block-encode", "one entry added to a segment, uncompressed") {
        let data = HotPathData()
        let directory = NullDirectory()
        return { operations in
            var done = 0
            while done < operations {
                let count = min(operations - done, HotPathData.count)
                try SegmentFixture.write(data, in: directory, codec: .none, count: count)
                done += count
            }
            return UInt64(done)
        }
    }

    @inline(never)
    private static func filterLoop(
        _ segment: Segment, _ hashes: OwnedBytes, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        let hashes = hashes.bytes
        var digest: UInt64 = 0
        for step in 0..<operations {
            let hash = hashes.u64(at: 8 &* (step & (2 &* HotPathData.count &- 1)))
            if try segment.mayContain(hash) { digest &+= 1 }
        }
        return digest
    }

    @inline(never)
    private static func cacheLoop(
        _ probe: SegmentProbe, _ blockCount: Int, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let index = (HotPathData.visit(step) &* blockCount) / HotPathData.count
            digest &+= UInt64(truncatingIfNeeded: try probe.block(index).entryCount)
        }
        return digest
    }

    @inline(never)
    private static func blockSearchLoop(
        _ block: SegmentProbe.Block, _ data: HotPathData, _ first: Int, _ operations: Int
    ) -> UInt64 {
        var digest: UInt64 = 0
        let count = block.entryCount
        for step in 0..<operations {
            let index = block.search(data.key(first &+ (HotPathData.visit(step) &* count) / HotPathData.count))
            digest &+= UInt64(truncatingIfNeeded: index)
        }
        return digest
    }

    @inline(never)
    private static func segmentGetLoop(
        _ segment: Segment, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let key = data.key(HotPathData.visit(step))
            let found = try segment.get(key, hash: XXH3.hash(key), through: Trailer.sequenceMax)
            guard let found else { continue }
            digest &+= found.value.u64(at: 0)
        }
        return digest
    }
}
