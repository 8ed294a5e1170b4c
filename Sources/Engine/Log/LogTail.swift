import ShaleBase

/// What lies behind the place at which reading stopped.
struct LogTail {
    /// A valid chunk that says the log had been durable past the bad place.
    struct Voucher {
        let offset: UInt64
        let syncedOffset: UInt64
    }

    /// More zeros than a log reserves: a memtable's worth, or a step of its growth, and what a large batch left.
    static let zerosMax: UInt64 = 128 << 20

    /// The end of the last byte that is not zero; nil if all are.
    private(set) var contentEnd: UInt64?
    private(set) var voucher: Voucher?

    /// Searches everything behind `badOffset`, up to the first voucher.
    ///
    /// Chunks are linked by their lengths alone, so behind a bad one the chain is lost until the next block begins; yet
    /// in a log that was synced at every commit the only witness is often in the bad chunk's own block. So every byte
    /// offset is tried: no place at which the writer could have put a chunk is missed, whatever was damaged, and in
    /// which block. It stays cheap because a witness names a synced offset above `badOffset` and not above itself:
    /// nearly every candidate fails that one comparison of eight bytes (or, if it looks like a single chunk, of the type and
    /// four bytes), and only what passes is checksummed. Payload
    /// bytes that imitate a chunk would need the checksum for this very file and offset.
    ///
    /// Zeros are read as far as a log may have space reserved ahead. Behind ``zerosMax`` of them holes are skipped: a
    /// sparse file costs what it has in blocks, whatever its length, and no content is missed. (Not before: reading zeros
    /// is cheap, and then no honest log depends on what the file system says about its holes.)
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
                tail.voucher = findVoucher(
                    window, number: number, badOffset: badOffset, from: offset, contentCount: contentCount)
                guard tail.voucher == nil else { return tail }
            }
            zeroCount += UInt64(count - contentCount)
            offset += UInt64(count)
        }
    }

    /// Tries every offset of one block's content. The type byte of a chunk is not zero, so none begins behind the
    /// content, but its synced offset and payload may reach into the zeros.
    private static func findVoucher(
        _ window: LogWindow, number: UInt64, badOffset: UInt64, from: UInt64, contentCount: Int
    ) -> Voucher? {
        let bytes = window.bytes
        let blockRest = LogFormat.blockSize - LogFormat.blockIndex(from)
        let last = min(from + UInt64(contentCount), from + UInt64(blockRest - LogFormat.chunkHeaderSize + 1))
        // The bad chunk, or the file header, takes at least its header's space.
        var offset = max(from, badOffset + UInt64(LogFormat.chunkHeaderSize))
        let firstSynced = PlantedBug.isActive(.vouchForTheNext) ? badOffset : badOffset &+ 1
        while offset < last {
            let index = window.index(of: offset)
            guard index &+ LogFormat.chunkHeaderSize <= bytes.count else { return nil }
            let syncedOffset = LogChunk.claimedSyncedOffset(bytes, at: index, offset: offset)
            if syncedOffset &- firstSynced <= offset &- firstSynced,
                LogChunk.read(bytes, at: index, number: number, offset: offset) != nil
            {
                return Voucher(offset: offset, syncedOffset: syncedOffset)
            }
            offset &+= 1
        }
        return nil
    }
}
