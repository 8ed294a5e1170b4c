import ShaleBase
import ShaleSegment
import ShaleSimulation

/// The bytes of a segment file, for tests that change them and put right checksums over it, as an author of hostile
/// files would.
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

    /// Offsets and stored lengths of index, filter, directory and properties.
    var tailBlocks: [(offset: Int, length: Int)] {
        (0..<4).map { (Int(u64(footerOffset + 16 * $0)), u32(footerOffset + 16 * $0 + 8)) }
    }

    mutating func seal(blockAt offset: Int, length: Int) {
        put(checksum(offset, length + 4), at: offset + length + 4)
    }

    mutating func sealFooter() { put(checksum(footerOffset, 80), at: footerOffset + 80) }

    private func checksum(_ offset: Int, _ length: Int) -> UInt64 {
        Array(bytes[offset..<(offset + length)]).lent { Checksum.of($0, file: number, offset: UInt64(offset)) }
    }

    private mutating func put(_ value: UInt64, at offset: Int) {
        for i in 0..<8 { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
    }

    func store(_ fixture: SegmentFixture) { fixture.fileSystem.write(SegmentFixture.path(number), bytes) }
}
