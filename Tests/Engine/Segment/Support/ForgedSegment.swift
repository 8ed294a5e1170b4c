import ShaleBase
import ShalePlatform
import ShaleSegment
import Testing

/// A segment whose bytes a test changes under correct checksums, with the metadata from its writer.
struct ForgedSegment {
    let fixture: SegmentFixture
    let metadata: SegmentMetadata
    var image: SegmentImage

    init(_ entries: [TestEntry], _ options: SegmentWriterOptions) throws {
        fixture = try SegmentFixture(cacheBytes: 0)
        metadata = try fixture.write(entries, options: options)
        image = try SegmentImage(fixture, number: 1)
    }

    /// Returns the place of a data block in the original segment.
    func block(_ number: Int) throws -> (offset: Int, length: Int) {
        let original = Segment(metadata: metadata, directory: fixture.directory, environment: fixture.environment)
        let handle = try original.indexRow(number).handle
        return (Int(handle.offset), Int(handle.storedLength))
    }

    /// Expects that verifying the changed file fails for this reason at this place.
    func expectDamage(_ reason: String, at offset: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        image.store(fixture)
        let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
            try fixture.open(metadata).verify()
        }
        #expect(
            error?.code == .corruption && error?.message == reason, "\(error?.message ?? "")",
            sourceLocation: sourceLocation)
        #expect(error?.file == SegmentFixture.path(1), sourceLocation: sourceLocation)
        #expect(error?.offset == UInt64(offset), sourceLocation: sourceLocation)
    }

    func salvage() throws(StorageError) -> SegmentSalvage {
        image.store(fixture)
        return try SegmentSalvage(fixture.open(metadata))
    }
}
