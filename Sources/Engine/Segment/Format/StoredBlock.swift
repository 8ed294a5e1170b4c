import ShaleBase

/// The frame of every block in the file: stored bytes | codec u8 | type u8 | 0 u16 | checksum u64.
enum StoredBlock {
    /// Appends the block trailer to the `storedLength` bytes at the end of `output`, which will be written at `offset`
    /// of file `file`.
    static func seal(
        _ output: inout ByteBuffer, storedLength: Int, codec: StoredCodec, type: BlockType, file: UInt64, offset: UInt64
    ) {
        let start = output.count - storedLength
        output.append(codec.rawValue)
        output.append(type.rawValue)
        output.append(UInt16(0))
        let summed = output.bytes.slice(start, storedLength + 4)
        let sum = Checksum.of(summed, file: file, offset: offset)
        output.append(sum)
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
