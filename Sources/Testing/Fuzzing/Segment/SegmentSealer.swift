/// Writes correct checksums into a mutated segment file: for the footer and the blocks that it names. If the index is
/// not compressed, also for the data blocks that it names.
enum SegmentSealer {
    static func seal(_ file: inout [UInt8], number: UInt64) {
        let footer = file.count - SegmentParts.footerBytes
        guard footer >= 0 else { return }
        file.put(number, at: footer + 64)
        for slot in 0..<4 {
            guard let (offset, length) = handle(file, footer + 16 * slot) else { continue }
            sealBlock(&file, offset, length, number)
        }
        sealDictionaries(&file, footer, number)
        if let (offset, length) = handle(file, footer), file[offset + length] == 0 {
            var start = 0
            for row in IndexRows(Array(file[offset..<(offset + length)])).rows {
                guard start + Int(row.storedLength) + 12 <= footer else { break }
                sealBlock(&file, start, Int(row.storedLength), number)
                start += Int(row.storedLength) + 12
            }
        }
        file.put(file.checksum(footer, 80, file: number), at: footer + 80)
    }

    /// Seals the dictionaries in the properties' list. Properties are never compressed.
    private static func sealDictionaries(_ file: inout [UInt8], _ footer: Int, _ number: UInt64) {
        guard let (offset, length) = handle(file, footer + 16 * 3),
            let list = SegmentParts.dictionaryList(Array(file[offset..<(offset + length)]))
        else { return }
        for place in stride(from: list.lowerBound + 6, to: list.upperBound, by: 24) {
            guard let (start, length) = handle(file, offset + place + 8) else { continue }
            sealBlock(&file, start, length, number)
        }
    }

    /// Returns the offset and length of a handle whose block and trailer lie before the footer.
    private static func handle(_ file: [UInt8], _ place: Int) -> (offset: Int, length: Int)? {
        guard let offset = file.word(UInt64.self, at: place), let length = file.word(UInt32.self, at: place + 8),
            offset <= UInt64(file.count), Int(offset) + Int(length) + 12 <= file.count - SegmentParts.footerBytes
        else { return nil }
        return (Int(offset), Int(length))
    }

    private static func sealBlock(_ file: inout [UInt8], _ offset: Int, _ length: Int, _ number: UInt64) {
        file.put(file.checksum(offset, length + 4, file: number), at: offset + length + 4)
    }
}
