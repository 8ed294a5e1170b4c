import ShaleBase

/// One framed piece of a record, with encoding and decoding of its header.
struct LogChunk {
    let type: LogFormat.ChunkType
    let payloadCount: Int
    /// The offset up to which the log was known to be durable when the chunk was encoded. Never above the chunk's
    /// offset.
    let syncedOffset: UInt64

    /// On disk, do not change.
    private enum Field {
        static let checksum = 0
        static let payloadCount = 8
        static let type = 10
        static let flags = 11
        static let syncedOffset = 12
        /// Single chunks have no flags. Their synced offset is a distance back from the chunk.
        static let syncedDistance = 11
    }

    var headerCount: Int { LogChunk.headerCount(type.rawValue) }
    var byteCount: Int { headerCount &+ payloadCount }

    /// Writes the header before a payload that is already in `frame`, after the space for the header.
    @inline(__always)
    static func seal(
        _ frame: MutableBytes, _ type: LogFormat.ChunkType, syncedOffset: UInt64, number: UInt64, offset: UInt64
    ) {
        let payloadCount = frame.count &- LogFormat.chunkHeaderSize
        frame.store(UInt16(truncatingIfNeeded: payloadCount), at: Field.payloadCount)
        frame.store(UInt16(type.rawValue), at: Field.type)
        frame.store(syncedOffset, at: Field.syncedOffset)
        let covered = frame.bytes.suffix(from: Field.payloadCount)
        frame.store(Checksum.of(covered, file: number, offset: offset), at: Field.checksum)
    }

    /// Writes the header of a single chunk. `syncedOffset` is at most ``LogFormat/singleDistanceMax`` below its block's
    /// padding.
    @inline(__always)
    static func sealSingle(_ frame: MutableBytes, syncedOffset: UInt64, number: UInt64, offset: UInt64) {
        assert(offset &- syncedOffset <= UInt64(UInt32.max))
        let payloadCount = frame.count &- LogFormat.singleHeaderSize
        frame.store(UInt16(truncatingIfNeeded: payloadCount), at: Field.payloadCount)
        frame.store(LogFormat.ChunkType.single.rawValue, at: Field.type)
        frame.store(UInt32(truncatingIfNeeded: offset &- syncedOffset), at: Field.syncedDistance)
        let covered = frame.bytes.suffix(from: Field.payloadCount)
        frame.store(Checksum.of(covered, file: number, offset: offset), at: Field.checksum)
    }

    /// Returns the chunk at `index` of `window`, whose file offset is `offset`; nil unless every part of it is valid.
    /// The bytes may be arbitrary: nothing beyond the window or the chunk's block is read.
    @inline(__always)
    static func read(_ window: Bytes, at index: Int, number: UInt64, offset: UInt64) -> LogChunk? {
        guard checksumHolds(window, at: index, number: number, offset: offset),
            let type = LogFormat.ChunkType(rawValue: window[index &+ Field.type])
        else { return nil }
        let payloadCount = Int(window.u16(at: index &+ Field.payloadCount))
        let syncedOffset = claimedSyncedOffset(window, at: index, offset: offset)
        let hasFlags = type != .single && window[index &+ Field.flags] != 0
        guard !hasFlags, syncedOffset <= offset, type != .mark || payloadCount == 0 else { return nil }
        return LogChunk(type: type, payloadCount: payloadCount, syncedOffset: syncedOffset)
    }

    /// True if the checksum confirms that these bytes were written at this offset. That holds for every undamaged
    /// chunk, whatever its fields contain.
    @inline(__always)
    static func checksumHolds(_ window: Bytes, at index: Int, number: UInt64, offset: UInt64) -> Bool {
        let room = room(window, at: index, offset: offset)
        guard room >= LogFormat.chunkHeaderSize else { return false }
        let type = window[index &+ Field.type]
        let count = headerCount(type) &+ Int(window.u16(at: index &+ Field.payloadCount))
        guard count <= room, type != 0 else { return false }
        let covered = window.slice(index &+ Field.payloadCount, count &- Field.payloadCount)
        return window.u64(at: index &+ Field.checksum) == Checksum.of(covered, file: number, offset: offset)
    }

    /// Returns the reason why ``read(_:at:number:offset:)`` returned nil, for an error message.
    static func damage(_ window: Bytes, at index: Int, offset: UInt64) -> String {
        let room = room(window, at: index, offset: offset)
        guard room >= LogFormat.chunkHeaderSize else { return "the file ends inside a chunk header" }
        if window.slice(index, LogFormat.chunkHeaderSize).isAllZero { return "zeros where a chunk was" }
        let payloadCount = Int(window.u16(at: index + Field.payloadCount))
        let payloadRoom = room - headerCount(window[index + Field.type])
        guard payloadCount <= payloadRoom else { return "bad chunk length=\(payloadCount) room=\(payloadRoom)" }
        return "chunk checksum mismatch"
    }

    /// Returns the unchecked synced offset of a possible chunk at `index`, to filter candidates before the checksum. It
    /// is above `offset` if a single chunk's distance reaches before the file's start.
    @inline(__always)
    static func claimedSyncedOffset(_ window: Bytes, at index: Int, offset: UInt64) -> UInt64 {
        if window[index &+ Field.type] == LogFormat.ChunkType.single.rawValue {
            return offset &- UInt64(window.u32(at: index &+ Field.syncedDistance))
        }
        return window.u64(at: index &+ Field.syncedOffset)
    }

    @inline(__always)
    private static func headerCount(_ type: UInt8) -> Int {
        type == LogFormat.ChunkType.single.rawValue ? LogFormat.singleHeaderSize : LogFormat.chunkHeaderSize
    }

    /// Returns the number of bytes at `index` that a chunk may take. No writer begins a chunk where the longer header
    /// does not fit.
    @inline(__always)
    private static func room(_ window: Bytes, at index: Int, offset: UInt64) -> Int {
        min(window.count &- index, LogFormat.blockSize &- LogFormat.blockIndex(offset))
    }
}

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
