import ShaleBase

/// Reads stored data blocks: verifies the checksum, decompresses, then parses the structure.
enum DataBlockReader {
    /// Reads one block, with one read of the file, into `block`, which has room for it. Frees `block` on failure.
    static func read(
        _ row: IndexRow, _ dictionary: DigestedDictionary?, of file: SegmentFile, _ scratch: ReadScratch,
        into block: DataBlock
    ) throws(StorageError) {
        let count = Int(row.statistics.entryCount)
        let rawLength = Int(row.handle.rawLength)
        do {
            if row.codec == .none, row.handle.storedLength == row.handle.rawLength {
                // The stored bytes are the raw block: read in place, with the trailer in the slack.
                let target = block.rawTarget(count: count, rawLength: rawLength)
                    .slice(0, rawLength + SegmentFormat.blockTrailerBytes)
                try file.read(into: target, at: row.handle.offset)
                try verifyAndParse(target.bytes, row, block, file)
            } else {
                scratch.buffer.removeAll()
                let target = scratch.buffer.extend(row.handle.totalBytes)
                try file.read(into: target, at: row.handle.offset)
                try decode(target.bytes, row, dictionary, into: block, file, scratch.decompressor)
            }
        } catch {
            block.free()
            throw error
        }
    }

    /// Decodes a block as read from `file`, including its trailer, into `block`, which has room for it.
    static func decode(
        _ stored: Bytes, _ row: IndexRow, _ dictionary: DigestedDictionary?, into block: DataBlock,
        _ file: SegmentFile, _ decompressor: Decompressor
    ) throws(StorageError) {
        let count = Int(row.statistics.entryCount)
        let rawLength = Int(row.handle.rawLength)
        do {
            try verify(stored, row, file)
            let target = block.rawTarget(count: count, rawLength: rawLength).slice(0, rawLength)
            let storedLength = Int(row.handle.storedLength)
            try decompressor.decompress(stored.slice(0, storedLength), row.codec, dictionary, into: target)
            try block.parse(count: count, rawLength: rawLength)
        } catch {
            throw file.corruption(error.reason, at: row.handle.offset)
        }
    }

    private static func verifyAndParse(
        _ stored: Bytes, _ row: IndexRow, _ block: DataBlock, _ file: SegmentFile
    ) throws(StorageError) {
        do {
            try verify(stored, row, file)
            try block.parse(count: Int(row.statistics.entryCount), rawLength: Int(row.handle.rawLength))
        } catch {
            throw file.corruption(error.reason, at: row.handle.offset)
        }
    }

    /// Verifies a block as read, including its trailer, against its checksum and its index row.
    static func verify(_ stored: Bytes, _ row: IndexRow, _ file: SegmentFile) throws(ParseFailure) {
        let codec = try StoredBlock.verify(stored, type: .data, file: file.number, offset: row.handle.offset)
        guard codec == row.codec else { throw ParseFailure("a block's codec differs from the index") }
    }
}
