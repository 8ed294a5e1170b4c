/// The parts of a segment file, so that one can be replaced and the file rebuilt around it.
struct SegmentParts {
    /// The stored bytes of a block and their compression.
    struct Block {
        var stored: [UInt8]
        var rawLength: UInt32
        var codec: UInt8 = 0
    }

    static let number: UInt64 = 15
    static let name = "0000000015.seg"
    static let footerBytes = 96

    /// A slice's dictionary.
    struct Dictionary {
        var namespace: UInt32
        var savedShare: UInt32
        var block: Block
    }

    var data: [Block] = []
    /// The dictionaries of the slices that have one.
    var dictionaries: [Dictionary] = []
    /// The filter; `nil` if the segment has none.
    var filter: Block?
    var index = Block([])
    var directory = Block([])
    var properties = Block([])
    /// Replaces the fields of the footer before its checksum.
    var footerFields: [UInt8]?

    /// Returns the file, with correct checksums and handles.
    func file() -> [UInt8] {
        var file: [UInt8] = []
        for block in data { SegmentParts.append(block, type: 1, to: &file) }
        var properties = properties
        appendDictionaries(to: &file, &properties)
        var handles = [UInt8](repeating: 0, count: 64)
        let tail: [(slot: Int, type: UInt8, block: Block?)] = [
            (1, 2, filter), (0, 3, index), (2, 4, directory), (3, 5, properties),
        ]
        for case (let slot, let type, let block?) in tail {
            handles.put(UInt64(file.count), at: 16 * slot)
            handles.put(UInt32(block.stored.count), at: 16 * slot + 8)
            handles.put(block.rawLength, at: 16 * slot + 12)
            SegmentParts.append(block, type: type, to: &file)
        }
        let offset = file.count
        file += handles
        file.append(word: SegmentParts.number)
        file.append(word: UInt32(dictionaries.isEmpty ? 0 : 1))
        file += [1, 0, 1, filter == nil ? 0 : 1]
        if let footerFields { file.replaceSubrange(offset..<(offset + 80), with: footerFields) }
        file.append(word: file.checksum(offset, 80, file: SegmentParts.number))
        file += Array("SHALESEG".utf8)
        return file
    }

    private func appendDictionaries(to file: inout [UInt8], _ properties: inout Block) {
        var records: [UInt8] = []
        for dictionary in dictionaries {
            records.append(word: dictionary.namespace)
            records.append(word: dictionary.savedShare)
            records.append(word: UInt64(file.count))
            records.append(word: UInt32(dictionary.block.stored.count))
            records.append(word: dictionary.block.rawLength)
            SegmentParts.append(dictionary.block, type: 6, to: &file)
        }
        guard !records.isEmpty else { return }
        properties.stored.append(word: UInt16(7))
        properties.stored.append(word: UInt32(records.count))
        properties.stored += records
        properties.rawLength = UInt32(properties.stored.count)
    }

    private static func append(_ block: Block, type: UInt8, to file: inout [UInt8]) {
        let offset = file.count
        file += block.stored
        file += [block.codec, type, 0, 0]
        file.append(word: file.checksum(offset, block.stored.count + 4, file: number))
    }
}

extension SegmentParts.Block {
    /// Makes an uncompressed block.
    init(_ raw: [UInt8]) { self.init(stored: raw, rawLength: UInt32(raw.count)) }
}

extension SegmentParts {
    /// Takes apart a file made by a writer, whose tail is not compressed.
    init(file: [UInt8]) {
        let footer = file.count - SegmentParts.footerBytes
        func part(_ slot: Int) -> (offset: Int, block: Block) {
            let offset = Int(file.word(UInt64.self, at: footer + 16 * slot) ?? 0)
            let length = Int(file.word(UInt32.self, at: footer + 16 * slot + 8) ?? 0)
            let raw = file.word(UInt32.self, at: footer + 16 * slot + 12) ?? 0
            return (offset, Block(stored: Array(file[offset..<(offset + length)]), rawLength: raw))
        }
        index = part(0).block
        if file[footer + 79] != 0 { filter = part(1).block }
        directory = part(2).block
        properties = part(3).block
        var offset = 0
        for row in IndexRows(index.stored).rows {
            let stored = Array(file[offset..<(offset + Int(row.storedLength))])
            data.append(Block(stored: stored, rawLength: row.rawLength, codec: file[offset + stored.count]))
            offset += stored.count + 12
        }
    }

    /// Returns the range of the list of dictionaries (7) or value codes (9) in raw properties, including its header.
    static func coderList(_ list: UInt16, _ properties: [UInt8]) -> Range<Int>? {
        var offset = 0
        while let tag = properties.word(UInt16.self, at: offset),
            let length = properties.word(UInt32.self, at: offset + 2)
        {
            let end = offset + 6 + Int(length)
            guard end <= properties.count else { return nil }
            if tag == list { return offset..<end }
            offset = end
        }
        return nil
    }
}

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
        sealCoders(&file, footer, number)
        if let (offset, length) = handle(file, footer), file[offset + length] == 0 {
            let isSplit = file.word(UInt16.self, at: footer + 76) == 2
            var start = 0
            for row in IndexRows(Array(file[offset..<(offset + length)]), isSplit: isSplit).rows {
                guard start + Int(row.storedLength) + 12 <= footer else { break }
                if row.keyPartLength > 0, row.keyPartLength <= row.storedLength {
                    sealSplitBlock(&file, start, row, number)
                } else {
                    sealBlock(&file, start, Int(row.storedLength), number)
                }
                start += Int(row.storedLength) + 12
            }
        }
        file.put(file.checksum(footer, 80, file: number), at: footer + 80)
    }

    /// Seals the pages of a split block, then its key part.
    private static func sealSplitBlock(_ file: inout [UInt8], _ start: Int, _ row: IndexRows.Row, _ number: UInt64) {
        let end = start + Int(row.storedLength) + 12
        let keyPartLength = Int(row.keyPartLength)
        var block = Array(file[start..<end])
        PageTable(block, keyPartLength: keyPartLength, pages: keyPartLength + 12)?.seal(&block)
        file.replaceSubrange(start..<end, with: block)
        sealBlock(&file, start, keyPartLength, number)
    }

    /// Seals the dictionaries and value codes in the properties' lists. Properties are never compressed.
    private static func sealCoders(_ file: inout [UInt8], _ footer: Int, _ number: UInt64) {
        guard let (offset, length) = handle(file, footer + 16 * 3) else { return }
        let properties = Array(file[offset..<(offset + length)])
        for list in [7, 9].compactMap({ SegmentParts.coderList($0, properties) }) {
            for place in stride(from: list.lowerBound + 6, to: list.upperBound, by: 24) {
                guard let (start, length) = handle(file, offset + place + 8) else { continue }
                sealBlock(&file, start, length, number)
            }
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
