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

/// The frame of every block in the file: stored bytes | codec u8 | type u8 | 0 u16 | checksum u64.
///
/// A split block has its frame around the key part, and its pages follow.
enum StoredBlock {
    /// Appends the block trailer to the `storedLength` bytes at the end of `output`, which will be written at `offset`
    /// of file `file`.
    static func seal(
        _ output: inout ByteBuffer, storedLength: Int, codec: StoredCodec, type: BlockType, file: UInt64, offset: UInt64
    ) {
        let start = output.count - storedLength
        _ = output.extend(SegmentFormat.blockTrailerBytes)
        seal(output.mutableBytes.suffix(from: start), codec: codec, type: type, file: file, offset: offset)
    }

    /// Fills the block trailer, for which `block` has room at its end. `block` will be written at `offset`.
    static func seal(_ block: MutableBytes, codec: StoredCodec, type: BlockType, file: UInt64, offset: UInt64) {
        let storedLength = block.count - SegmentFormat.blockTrailerBytes
        block.store(codec.rawValue, at: storedLength)
        block.store(type.rawValue, at: storedLength + 1)
        block.store(UInt16(0), at: storedLength + 2)
        let sum = Checksum.of(block.bytes.slice(0, storedLength + 4), file: file, offset: offset)
        block.store(sum, at: storedLength + 4)
    }

    /// Verifies a block as read, including its trailer, against its file and offset. Callers must not use the stored
    /// bytes before.
    static func verify(
        _ block: Bytes, type: BlockType, file: UInt64, offset: UInt64
    ) throws(ParseFailure) -> StoredCodec {
        let storedLength = block.count - SegmentFormat.blockTrailerBytes
        guard storedLength >= 0 else { throw ParseFailure("a block is cut short") }
        let sum = Checksum.of(block.slice(0, storedLength + 4), file: file, offset: offset)
        guard sum == block.u64(at: storedLength + 4) || PlantedBug.isActive(.skipBlockChecksum) else {
            throw ParseFailure("a block fails its checksum")
        }
        guard let codec = StoredCodec(rawValue: block[storedLength]) else {
            throw ParseFailure("a block has the unknown codec \(block[storedLength])")
        }
        guard block[storedLength + 1] == type.rawValue, block.u16(at: storedLength + 2) == 0 else {
            throw ParseFailure("a block has the wrong type \(block[storedLength + 1])")
        }
        return codec
    }
}
