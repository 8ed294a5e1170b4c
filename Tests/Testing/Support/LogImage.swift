/// The bytes of a log or a manifest, read as DESIGN.md, section 5, says and not as the library does it, for tests that look
/// for chunks or change them under checksums that hold.
package struct LogImage {
    package struct Chunk {
        package let range: Range<Int>
        package let payload: Range<Int>
        package let type: UInt8
        package let syncedOffset: Int

        /// Whether a record ends with it.
        package var endsRecord: Bool { [1, 4, 6].contains(type) }
    }

    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Up to where the first one would begin that is none.
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

    /// Makes the checksum hold again of a chunk whose bytes were changed.
    package mutating func seal(_ chunk: Chunk) {
        bytes.seal(
            (chunk.range.lowerBound + 8)..<chunk.range.upperBound, at: chunk.range.lowerBound,
            file: UInt64(number(at: 16, 8)), place: chunk.range.lowerBound)
    }

    private func number(at offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
