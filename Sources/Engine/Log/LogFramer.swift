import ShaleBase

/// Cuts a record into chunks, block by block. It has no memory of its own: the record must outlive it.
struct LogFramer {
    private let record: Bytes
    private let number: UInt64
    private let syncedOffset: UInt64
    private var consumed = 0
    private var hasBegun = false
    /// The file offset of the next framed byte.
    private(set) var offset: UInt64
    private(set) var isAtEnd = false

    init(_ record: Bytes, number: UInt64, offset: UInt64, syncedOffset: UInt64) {
        self.record = record
        self.number = number
        self.offset = offset
        self.syncedOffset = syncedOffset
    }

    /// Appends whole chunks, and the padding between them, until `target` holds `enough` bytes or the record ends.
    mutating func frame(into target: inout ByteBuffer, atLeast enough: Int) {
        target.reserve(min(record.count - consumed, enough) + 2 * LogFormat.blockSize)
        while !isAtEnd, target.count < enough {
            let padding = Int(nextOffset - offset)
            target.extend(padding).zero(0, padding)
            frameChunk(into: target.extend(nextCount))
        }
    }

    /// The offset of the next chunk, after any padding.
    var nextOffset: UInt64 { LogFormat.chunkOffset(after: offset) }

    /// The number of bytes of the next chunk, all in one block.
    var nextCount: Int {
        let room = LogFormat.blockSize - LogFormat.blockIndex(nextOffset) - LogFormat.chunkHeaderSize
        return LogFormat.chunkHeaderSize + min(room, record.count - consumed)
    }

    /// Builds the next chunk in `chunk`, which is ``nextCount`` long.
    mutating func frameChunk(into chunk: MutableBytes) {
        assert(chunk.count == nextCount)
        let chunkOffset = nextOffset
        // Not `consumed == 0`: if only a header fits into a block, the first chunk is empty.
        let isFirst = !hasBegun
        hasBegun = true
        let payload = record.slice(consumed, chunk.count - LogFormat.chunkHeaderSize)
        let isLast = consumed + payload.count == record.count
        chunk.copy(payload, at: LogFormat.chunkHeaderSize)
        LogChunk.seal(
            chunk, LogFramer.type(isFirst: isFirst, isLast: isLast), syncedOffset: syncedOffset, number: number,
            offset: chunkOffset)
        consumed += payload.count
        offset = chunkOffset + UInt64(chunk.count)
        isAtEnd = isLast
    }

    private static func type(isFirst: Bool, isLast: Bool) -> LogFormat.ChunkType {
        switch (isFirst, isLast) {
        case (true, true): .full
        case (true, false): .first
        case (false, false): .middle
        case (false, true): .last
        }
    }
}
