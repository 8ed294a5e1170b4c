import ShaleBase
import ShalePlatform
import ShaleSegment

/// A segment with all entries of ``HotPathData`` and all its blocks in the cache.
final class SegmentFixture {
    let data = HotPathData()
    let segment: Segment
    let probe: SegmentProbe
    let blockCount: Int
    /// The hashes of stored and missing keys, alternating, in the order of visits.
    let hashes: OwnedBytes
    private let place: TemporaryDirectory
    private let environment: SegmentEnvironment

    init() throws {
        place = try TemporaryDirectory()
        let directory = try PosixFileSystem().openDirectory(place.path, create: false)
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
