/// The constants of the record log. On disk, do not change: DESIGN.md, "Record log".
package enum LogFormat {
    /// `SHALELOG`, read as a little-endian integer.
    package static let magic: UInt64 = 0x474F_4C45_4C41_4853
    package static let version: UInt32 = 1
    package static let headerSize = 64

    /// Blocks are counted from file offset 0, so the first one also contains the file header.
    package static let blockSize = 32 << 10
    package static let chunkHeaderSize = 20
    package static let chunkPayloadMax = blockSize - chunkHeaderSize
    /// The header size of chunks of type ``ChunkType/single``.
    package static let singleHeaderSize = 15
    /// The largest distance from a single chunk back to the synced offset. It fits 32 bits, with the padding before the
    /// chunk.
    package static let singleDistanceMax: UInt64 = UInt64(UInt32.max) - UInt64(chunkHeaderSize)

    /// The longest record: the largest batch and room for its operation headers. Longer ones are refused on writing and
    /// count as corruption on reading, so that a damaged log can't make the reader allocate more.
    package static let recordMax = 65 << 20

    /// The part of a record in a chunk. Raw value 0 is the content of preallocated space and never a type.
    package enum ChunkType: UInt8, Sendable {
        case full = 1
        case first = 2
        case middle = 3
        case last = 4
        /// An empty chunk, which only records the synced offset.
        case mark = 5
        /// A whole record with a shorter header, for the most frequent case: a commit of one operation. Only in WALs.
        case single = 6
    }

    /// Returns the offset of the next chunk in a log that ends at `offset`. The tail of a block that can't hold a
    /// header is skipped.
    @inline(__always)
    package static func chunkOffset(after offset: UInt64) -> UInt64 {
        let room = blockSize &- blockIndex(offset)
        return room < chunkHeaderSize ? offset &+ UInt64(room) : offset
    }

    /// Returns the position of `offset` inside its block.
    @inline(__always)
    package static func blockIndex(_ offset: UInt64) -> Int { Int(offset & UInt64(blockSize &- 1)) }

    /// Returns the end of a log that ends at `offset` after appending a record of `byteCount` bytes. O(1).
    package static func endOffset(ofRecord byteCount: Int, appendedAt offset: UInt64) -> UInt64 {
        let start = chunkOffset(after: offset)
        let room = blockSize - blockIndex(start) - chunkHeaderSize
        guard byteCount > room else { return start + UInt64(chunkHeaderSize + byteCount) }
        let rest = byteCount - room
        let wholeBlocks = (rest - 1) / chunkPayloadMax
        let inLastBlock = chunkHeaderSize + rest - wholeBlocks * chunkPayloadMax
        return start + UInt64(chunkHeaderSize + room + wholeBlocks * blockSize + inLastBlock)
    }
}

/// The kind of a log's records. On disk, do not change.
package enum LogKind: UInt8, Sendable {
    case wal = 1
    case manifest = 2
    /// The shipped log of a backup.
    case backup = 3
}
