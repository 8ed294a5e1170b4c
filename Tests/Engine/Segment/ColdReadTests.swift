import ShaleBase
import ShalePlatform
import ShaleSimulation
import Synchronization
import Testing

@testable import ShaleSegment

/// Lookups and seeks in split blocks that come from the device: one read for each block.
@Suite struct ColdReadTests {
    /// A clock by which everything takes long.
    private final class SlowTime: TimeSource {
        private let readings = Atomic<UInt64>(0)

        var wallMilliseconds: Int64 { 0 }
        var monotonicNanoseconds: UInt64 { readings.wrappingAdd(80_000, ordering: .relaxed).newValue }
    }

    private static let entries = EntryMaker(count: 1000, namespaces: [1], valueLengths: 20...300)
        .make(SeededRandom(seed: 401))

    private static func segment(_ values: SplitSegmentTests.Values) throws -> (SegmentFixture, Segment) {
        let fixture = try SegmentFixture()
        let metadata = try fixture.write(entries, options: try values.options(entries))
        let environment = SegmentEnvironment(
            budget: MemoryBudget(limitBytes: 0, cacheFloorBytes: 0), openFileLimit: 10, domain: EpochDomain(),
            time: SlowTime())
        return (fixture, Segment(metadata: metadata, directory: fixture.directory, environment: environment))
    }

    @Test(arguments: SplitSegmentTests.Values.allCases)
    func lookupsAndSeeksReadTheSame(_ values: SplitSegmentTests.Values) throws {
        let (_, segment) = try Self.segment(values)
        for entry in Self.entries {
            #expect(try segment.lookUp(entry.key, through: entry.sequence) == entry)
        }
        #expect(segment.environment.files.residency.isCold)
        let options = ScanOptions(fillCache: false)
        #expect(try EntryCursor(segment, headOffset: 0, options: options).entries() == Self.entries)
        let backward = EntryCursor(segment, headOffset: 0, options: options)
        #expect(try backward.entries(.backward) == Self.entries.reversed())
    }

    @Test func aLookupIsOneRead() throws {
        let (fixture, segment) = try Self.segment(.plainCode)
        for entry in Self.entries { _ = try segment.lookUp(entry.key, through: entry.sequence) }
        let before = fixture.fileSystem.operationCount
        for entry in Self.entries.prefix(100) { _ = try segment.lookUp(entry.key, through: entry.sequence) }
        #expect(fixture.fileSystem.operationCount - before == 100)
    }

    @Test func damageIsFound() throws {
        let (fixture, segment) = try Self.segment(.plainCode)
        for entry in Self.entries { _ = try segment.lookUp(entry.key, through: entry.sequence) }
        let row = try segment.indexRow(0)
        let last = Int(row.handle.offset) + row.handle.totalBytes - 1
        fixture.fileSystem.corrupt(SegmentFixture.path(1), at: last, xor: 1)
        let error = #expect(throws: StorageError.self) {
            for entry in Self.entries { _ = try segment.lookUp(entry.key, through: entry.sequence) }
        }
        #expect(error?.code == .corruption)
    }
}
