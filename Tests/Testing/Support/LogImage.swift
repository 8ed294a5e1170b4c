import ShaleBase

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

/// Changes of file contents under valid checksums, as an author of hostile files makes them.
extension [UInt8] {
    /// Stores an integer in the byte order of all files.
    package mutating func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        for i in 0..<(Number.bitWidth / 8) { self[offset + i] = UInt8(truncatingIfNeeded: value >> Number(8 * i)) }
    }

    /// Stores the checksum of `range` at `offset`. It is bound to the number of the file and to `place`, which defaults
    /// to the start of the range.
    package mutating func seal(_ range: Range<Int>, at offset: Int, file number: UInt64, place: Int? = nil) {
        let summed = OwnedBytes(Array(self[range]))
        let sum = withExtendedLifetime(summed) {
            Checksum.of(summed.bytes, file: number, offset: UInt64(place ?? range.lowerBound))
        }
        put(sum, at: offset)
    }
}
