import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

@Suite struct NewerSegmentTests {
    @Test func aFooterOfALaterVersionIsRefusedAsSuch() throws {
        let fixture = try SegmentFixture()
        let metadata = try fixture.write([.put(1, "a", 1)])
        var file = try SegmentImage(fixture, number: 1)
        file.bytes[file.footerOffset + 76] = 3
        file.sealFooter()
        file.store(fixture)
        let error = #expect(throws: StorageError.self) { try fixture.open(metadata).open() }
        #expect(error?.code == .newerFormat)
        #expect(error?.file == SegmentFixture.path(1))
    }
}
