/// The bytes of a log or a manifest, for tests that find chunks or change them under valid checksums.
///
/// The parser follows DESIGN.md, "Record log", and does not use the library.
package struct LogImage {
    package struct Chunk {
        package let range: Range<Int>
        package let payload: Range<Int>
        package let type: UInt8
        package let syncedOffset: Int

        /// True if the chunk is the last one of a record.
        package var endsRecord: Bool { [1, 4, 6].contains(type) }
    }

    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The chunks up to the first position without a valid one.
    package var chunks: [Chunk] {
        var chunks: [Chunk] = []
        var offset = 64
        while offset + 20 <= bytes.count {
            let room = (32 << 10) - offset % (32 << 10)
            if room < 20 {
                offset += room
                continue
            }
            let type = bytes[offset + 10]
            guard type != 0 else { break }
            let payload = offset + (type == 6 ? 15 : 20)
            let end = payload + number(at: offset + 8, 2)
            let synced = type == 6 ? offset - number(at: offset + 11, 4) : number(at: offset + 12, 8)
            chunks.append(Chunk(range: offset..<end, payload: payload..<end, type: type, syncedOffset: synced))
            offset = end
        }
        return chunks
    }

    /// Recomputes the checksum of a chunk whose bytes were changed.
    package mutating func seal(_ chunk: Chunk) {
        bytes.seal(
            (chunk.range.lowerBound + 8)..<chunk.range.upperBound, at: chunk.range.lowerBound,
            file: UInt64(number(at: 16, 8)), place: chunk.range.lowerBound)
    }

    private func number(at offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
