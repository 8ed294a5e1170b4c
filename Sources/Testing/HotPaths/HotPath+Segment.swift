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

extension HotPath {
    static func checksum(bytes: Int) -> HotPath {
        HotPath("checksum-\(bytes)", "the checksum of \(bytes) bytes") {
            let memory = OwnedBytes(count: bytes + 4096)
            for i in 0..<memory.count { memory.mutable.store(UInt8(truncatingIfNeeded: i &* 31), at: i) }
            return { operations in checksumLoop(memory.bytes, bytes, operations) }
        }
    }

    /// Computes checksums in a loop. Each start depends on the previous sum, so that the compiler can't remove a sum or
    /// move it out of the loop.
    @inline(never)
    private static func checksumLoop(_ memory: Bytes, _ length: Int, _ operations: Int) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let start = Int(digest & 4095)
            digest = Checksum.of(
                memory.slice(start, length), file: 1, offset: UInt64(truncatingIfNeeded: step))
        }
        return digest
    }
}

/// Returns a block's checksum without the binding to its position: the minimum work of any block reader.
///
/// For rooflines.
public func blockSum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe XXH3.hash(Bytes(bytes)) }

/// A segment with all entries of ``HotPathData`` and all its blocks in the cache.
final class SegmentFixture {
    let data = HotPathData()
    let segment: Segment
    let probe: SegmentProbe
    let blockCount: Int
    /// The hashes of stored and missing keys, alternating, in the order of visits.
    let hashes: OwnedBytes
    private let temporary: TemporaryDirectory
    private let environment: SegmentEnvironment

    init() throws {
        temporary = try TemporaryDirectory()
        let directory = try PosixFileSystem().openDirectory(temporary.path, create: false)
        environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 16)
        let metadata = try SegmentFixture.write(data, in: directory, codec: .lz4, count: HotPathData.count)
        segment = Segment(metadata: metadata, directory: directory, environment: environment)
        probe = try SegmentProbe(segment)
        blockCount = try segment.blockCount()
        hashes = OwnedBytes(count: 2 * HotPathData.count * 8)
        for step in 0..<HotPathData.count {
            let index = HotPathData.visit(step)
            hashes.mutable.store(XXH3.hash(data.key(index)), at: 16 * step)
            hashes.mutable.store(XXH3.hash(data.missingKey(index)), at: 16 * step + 8)
        }
        try pinned { () throws(StorageError) in
            for index in 0..<blockCount { _ = try probe.block(index) }
        }
    }

    @discardableResult
    static func write(
        _ data: HotPathData, in directory: any Directory, codec: BlockCodec, count: Int
    ) throws(StorageError) -> SegmentMetadata {
        let options = SegmentWriterOptions(codec: codec)
        let writer = try SegmentWriter(directory: directory, number: 1, options: options)
        try addLoop(writer, data, count)
        return try writer.finish(createdMilliseconds: 0)
    }

    @inline(never)
    private static func addLoop(
        _ writer: SegmentWriter, _ data: HotPathData, _ count: Int
    ) throws(StorageError) {
        for index in 0..<count {
            let trailer = Trailer(SequenceNumber(truncatingIfNeeded: index &+ 1), .put)
            try writer.add(data.key(index), trailer: trailer, expiry: 0, value: data.value(index))
        }
    }

    /// Returns the number of the first entry of a block.
    func firstEntry(of block: Int) throws(StorageError) -> Int {
        var first = 0
        for index in 0..<block { first += Int(try segment.indexRow(index).statistics.entryCount) }
        return first
    }

    /// Runs `body` under a pin, as lookups run.
    func pinned<R>(_ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        let pin = environment.domain.pin()
        defer { environment.domain.unpin(pin) }
        return try body()
    }
}
