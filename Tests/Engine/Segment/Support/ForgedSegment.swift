import ShaleBase
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import TestSupport
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

/// The bytes of a segment file, for tests that change them and then correct the checksums, as an attacker would.
struct SegmentImage {
    struct Missing: Error {}

    var bytes: [UInt8]
    let number: UInt64

    init(_ fixture: SegmentFixture, number: UInt64) throws {
        guard let bytes = fixture.fileSystem.read(SegmentFixture.path(number)) else { throw Missing() }
        self.bytes = bytes
        self.number = number
    }

    var footerOffset: Int { bytes.count - 96 }

    func u64(_ offset: Int) -> UInt64 { bytes[offset..<(offset + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    func u32(_ offset: Int) -> Int { bytes[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// The parts behind the data, in the order of the footer's handles.
    enum Tail: Int, CaseIterable { case index, filter, directory, properties }

    func place(_ tail: Tail) -> (offset: Int, length: Int) {
        let handle = footerOffset + 16 * tail.rawValue
        return (Int(u64(handle)), u32(handle + 8))
    }

    /// The offsets and stored lengths of index, filter, directory and properties.
    var tailBlocks: [(offset: Int, length: Int)] { Tail.allCases.map { place($0) } }

    mutating func seal(blockAt offset: Int, length: Int) {
        bytes.seal(offset..<(offset + length + 4), at: offset + length + 4, file: number)
    }

    mutating func seal(_ tail: Tail) {
        let (offset, length) = place(tail)
        seal(blockAt: offset, length: length)
    }

    mutating func sealFooter() {
        bytes.seal(footerOffset..<(footerOffset + 80), at: footerOffset + 80, file: number)
    }

    func store(_ fixture: SegmentFixture) { fixture.fileSystem.write(SegmentFixture.path(number), bytes) }
}
