import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@Suite struct OpenFilesTests {
    @Test func nothingIsOpenedBeforeItIsUsed() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment([.put(1, "a", 1)])
        #expect(fixture.openFileCount == 0)
        #expect(try segment.lookUp([0, 0, 0, 1, 97])?.sequence == 1)
        #expect(fixture.openFileCount == 1)
    }

    @Test func theLimitIsKeptAndFilesAreReopened() throws {
        let fixture = try SegmentFixture(cacheBytes: 0, openFileLimit: 3)
        let segments = try (1...10).map { try fixture.segment([.put(1, "a\($0)", $0)], number: $0) }
        let random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let i = random.below(segments.count)
            #expect(try segments[i].lookUp([0, 0, 0, 1] + Array("a\(i + 1)".utf8))?.sequence == UInt64(i + 1))
            #expect(fixture.environment.files.openCount <= 3)
            #expect(fixture.openFileCount <= 3)
        }
    }

    @Test func aMissingFileIsNamed() throws {
        let fixture = try SegmentFixture()
        let segment = try fixture.segment([.put(1, "a", 1)])
        fixture.fileSystem.remove(SegmentFixture.path(1))
        let error = #expect(throws: StorageError.self) { try segment.lookUp([0, 0, 0, 1, 97]) }
        #expect(error?.code == .missing)
        #expect(error?.file == SegmentFixture.path(1))
    }
}
