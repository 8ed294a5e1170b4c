import ShaleLog

/// Writes correct checksums into a mutated log, so that its reader parses the covered bytes.
enum LogSealer {
    /// Seals the chunks by their lengths, as the reader finds them; after an invalid length it continues with the next
    /// block.
    ///
    /// Chunk number `spared` keeps its checksum: a log whose chunks are all valid has no torn tail.
    static func seal(_ bytes: inout [UInt8], number: UInt64, spared: Int? = nil) {
        guard bytes.count >= LogFormat.headerSize else { return }
        bytes.put(number, at: 16)
        bytes.put(bytes.checksum(0, 56, file: number), at: 56)
        var offset = LogFormat.headerSize
        var index = 0
        while true {
            offset = Int(LogFormat.chunkOffset(after: UInt64(offset)))
            let blockRest = LogFormat.blockSize - offset % LogFormat.blockSize
            let room = min(blockRest, bytes.count - offset) - LogFormat.chunkHeaderSize
            guard room >= 0, let length = bytes.word(UInt16.self, at: offset + 8) else { return }
            guard Int(length) <= room, bytes[offset + 10] != 0 else {
                offset += blockRest
                continue
            }
            if index != spared {
                let covered = LogFormat.chunkHeaderSize - 8 + Int(length)
                bytes.put(bytes.checksum(offset + 8, covered, file: number, place: offset), at: offset)
            }
            index += 1
            offset += LogFormat.chunkHeaderSize + Int(length)
        }
    }
}
