import ShaleBase

/// One framed piece of a record: its header decoded, or its header sealed around a payload.
struct LogChunk {
    let type: LogFormat.ChunkType
    let payloadCount: Int
    /// The log was known durable up to here when the chunk was encoded. Never behind the chunk itself.
    let syncedOffset: UInt64

    /// On disk, do not change.
    private enum Field {
        static let checksum = 0
        static let payloadCount = 8
        static let type = 10
        static let flags = 11
        static let syncedOffset = 12
    }

    var byteCount: Int { LogFormat.chunkHeaderSize &+ payloadCount }

    /// Writes the header around a payload that already lies in `frame` behind the space for it.
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

    /// The chunk at `index` of `window`, whose file offset is `offset`; nil unless every part of it holds. The bytes may
    /// be anything: nothing behind the window or the chunk's block is touched.
    @inline(__always)
    static func read(_ window: Bytes, at index: Int, number: UInt64, offset: UInt64) -> LogChunk? {
        guard checksumHolds(window, at: index, number: number, offset: offset),
            let type = LogFormat.ChunkType(rawValue: window[index &+ Field.type])
        else { return nil }
        let payloadCount = Int(window.u16(at: index &+ Field.payloadCount))
        let syncedOffset = window.u64(at: index &+ Field.syncedOffset)
        guard window[index &+ Field.flags] == 0, syncedOffset <= offset, type != .mark || payloadCount == 0 else {
            return nil
        }
        return LogChunk(type: type, payloadCount: payloadCount, syncedOffset: syncedOffset)
    }

    /// Whether bytes that lie here were written here: true for every chunk that was not damaged, whatever its fields say.
    @inline(__always)
    static func checksumHolds(_ window: Bytes, at index: Int, number: UInt64, offset: UInt64) -> Bool {
        let room = roomForPayload(window, at: index, offset: offset)
        guard room >= 0 else { return false }
        let payloadCount = Int(window.u16(at: index &+ Field.payloadCount))
        guard payloadCount <= room, window[index &+ Field.type] != 0 else { return false }
        let covered = window.slice(
            index &+ Field.payloadCount, LogFormat.chunkHeaderSize &- Field.payloadCount &+ payloadCount)
        return window.u64(at: index &+ Field.checksum) == Checksum.of(covered, file: number, offset: offset)
    }

    /// Why ``read(_:at:number:offset:)`` returned nil, for an error message.
    static func damage(_ window: Bytes, at index: Int, offset: UInt64) -> String {
        let room = roomForPayload(window, at: index, offset: offset)
        guard room >= 0 else { return "the file ends inside a chunk header" }
        if window.slice(index, LogFormat.chunkHeaderSize).isAllZero { return "zeros where a chunk was" }
        let payloadCount = Int(window.u16(at: index + Field.payloadCount))
        guard payloadCount <= room else { return "bad chunk length=\(payloadCount) room=\(room)" }
        return "chunk checksum mismatch"
    }

    /// The synced offset of what may be a chunk at `index`, unchecked: for filtering candidates before the checksum.
    @inline(__always)
    static func claimedSyncedOffset(_ window: Bytes, at index: Int) -> UInt64 {
        window.u64(at: index &+ Field.syncedOffset)
    }

    @inline(__always)
    private static func roomForPayload(_ window: Bytes, at index: Int, offset: UInt64) -> Int {
        let inWindow = window.count &- index
        let inBlock = LogFormat.blockSize &- LogFormat.blockIndex(offset)
        return min(inWindow, inBlock) &- LogFormat.chunkHeaderSize
    }
}
