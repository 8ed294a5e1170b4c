import ShaleBase

/// The part of a log after the point at which reading stopped.
struct LogTail {
    /// A valid chunk that records that the log was synced past the bad offset.
    struct SyncWitness {
        let offset: UInt64
        let syncedOffset: UInt64
    }

    /// The zeros that are read before the file system is asked for holes.
    static let zerosMax: UInt64 = 1 << 20

    /// The end of the last byte that is not zero; nil if all are.
    private(set) var contentEnd: UInt64?
    private(set) var witness: SyncWitness?

    /// Searches everything after `badOffset` for the first chunk that records a sync past it.
    ///
    /// 1. Chunks are linked only by their lengths, so after a bad one the chain is lost until the next block. In a log
    ///    that is synced at every commit, the only such chunk is often in the bad chunk's own block.
    /// 2. So every byte offset is tried. No offset at which the writer may have put a chunk is missed, whatever was
    ///    damaged in which block.
    /// 3. That is cheap, because the synced offset must be above `badOffset` and not above the chunk itself. Nearly
    ///    every candidate fails that one comparison of eight bytes. For a candidate that looks like a single chunk, it
    ///    compares the type and four bytes. Only a candidate that passes is checksummed.
    /// 4. Payload bytes that imitate a chunk would need the checksum for this very file and offset.
    ///
    /// After ``zerosMax`` zeros, holes are skipped. Reserved space that was never written is one. Reading it would fill
    /// the page cache with zeros, at about a millisecond per MiB. No content is missed unless the file system reports a
    /// hole where content is. Even then an error would only be missed if the log is damaged before that content too.
    static func scan(_ window: LogWindow, number: UInt64, badOffset: UInt64) throws(StorageError) -> LogTail {
        var tail = LogTail()
        var offset = badOffset
        var zeroCount: UInt64 = 0
        while true {
            if !window.contains(offset) {
                if zeroCount >= LogTail.zerosMax { offset = try window.contentOffset(from: offset) }
                try window.load(offset)
            }
            let index = window.index(of: offset)
            guard index < window.bytes.count else { return tail }
            let count = min(LogFormat.blockSize - LogFormat.blockIndex(offset), window.bytes.count - index)
            let contentCount = window.bytes.slice(index, count).countWithoutTrailingZeros
            if contentCount > 0 {
                tail.contentEnd = offset + UInt64(contentCount)
                tail.witness = findSyncWitness(
                    window, number: number, badOffset: badOffset, from: offset, contentCount: contentCount)
                guard tail.witness == nil else { return tail }
            }
            zeroCount += UInt64(count - contentCount)
            offset += UInt64(count)
        }
    }

    /// Tries every offset of one block's content. A chunk's type byte is not zero, so no chunk begins after the
    /// content, but its synced offset and payload may extend into the zeros.
    private static func findSyncWitness(
        _ window: LogWindow, number: UInt64, badOffset: UInt64, from: UInt64, contentCount: Int
    ) -> SyncWitness? {
        let bytes = window.bytes
        let blockRest = LogFormat.blockSize - LogFormat.blockIndex(from)
        let last = min(from + UInt64(contentCount), from + UInt64(blockRest - LogFormat.chunkHeaderSize + 1))
        // The bad chunk, or the file header, takes at least the space of its header.
        var offset = max(from, badOffset + UInt64(LogFormat.chunkHeaderSize))
        let firstSynced = PlantedBug.isActive(.witnessTheNextSync) ? badOffset : badOffset &+ 1
        while offset < last {
            let index = window.index(of: offset)
            guard index &+ LogFormat.chunkHeaderSize <= bytes.count else { return nil }
            let syncedOffset = LogChunk.claimedSyncedOffset(bytes, at: index, offset: offset)
            if syncedOffset &- firstSynced <= offset &- firstSynced,
                LogChunk.read(bytes, at: index, number: number, offset: offset) != nil
            {
                return SyncWitness(offset: offset, syncedOffset: syncedOffset)
            }
            offset &+= 1
        }
        return nil
    }
}

extension Bytes {
    /// The number of bytes without the zeros at the end. O(zeros), in steps of 64 bytes, so that preallocated space is
    /// scanned at memory speed.
    var countWithoutTrailingZeros: Int {
        var end = count
        while end >= 64 {
            var bits: UInt64 = 0
            for word in 0..<8 { bits |= u64(at: end &- 64 &+ 8 &* word) }
            if bits != 0 { break }
            end &-= 64
        }
        while end >= 8, u64(at: end &- 8) == 0 { end &-= 8 }
        while end > 0, self[end &- 1] == 0 { end &-= 1 }
        return end
    }

    var isAllZero: Bool { countWithoutTrailingZeros == 0 }
}
