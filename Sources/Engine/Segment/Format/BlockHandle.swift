import ShaleBase

/// The position of a stored block. Lengths exclude the block trailer.
package struct BlockHandle: Equatable, Sendable {
    package let offset: UInt64
    package let storedLength: UInt32
    package let rawLength: UInt32

    package init(offset: UInt64, storedLength: UInt32, rawLength: UInt32) {
        self.offset = offset
        self.storedLength = storedLength
        self.rawLength = rawLength
    }

    static let absent = BlockHandle(offset: 0, storedLength: 0, rawLength: 0)

    var isAbsent: Bool { self == .absent }

    /// The offset of the first byte after the block and its trailer.
    var end: UInt64 { offset &+ UInt64(totalBytes) }

    /// The size in the file in bytes, including the block trailer.
    package var totalBytes: Int { Int(storedLength) + SegmentFormat.blockTrailerBytes }

    func encode(to buffer: inout ByteBuffer) {
        buffer.append(offset)
        buffer.append(storedLength)
        buffer.append(rawLength)
    }

    static func decode(_ reader: inout ByteReader) throws(ParseFailure) -> BlockHandle {
        let offset = try reader.u64("a block handle")
        let stored = try reader.u32("a block handle")
        let raw = try reader.u32("a block handle")
        guard max(stored, raw) <= UInt32(SegmentFormat.rawBlockBytesMax), offset <= UInt64(Int64.max) else {
            throw ParseFailure("a block handle is out of bounds")
        }
        return BlockHandle(offset: offset, storedLength: stored, rawLength: raw)
    }
}
