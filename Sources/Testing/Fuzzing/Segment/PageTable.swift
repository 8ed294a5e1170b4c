import ShaleBase

/// The table of pages in an untrusted split block, for right checksums after a mutation.
struct PageTable {
    private let pageCount: Int
    private let offsets: Int
    private let pages: Int

    /// Finds the table of a block that begins with its key part, and whose pages begin at `pages`; `nil` if the table
    /// is not inside the key part.
    init?(_ block: [UInt8], keyPartLength: Int, pages: Int) {
        guard keyPartLength >= 20, keyPartLength <= block.count,
            let count = block.word(UInt32.self, at: 0).map(Int.init), count <= 1 << 20,
            let prefixCount = block.word(UInt16.self, at: 4).map(Int.init),
            let pageCount = block.word(UInt16.self, at: 16).map(Int.init)
        else { return nil }
        let (flags, sequenceWidth, form) = (block[6], Int(block[7]), Int(block[18]))
        let valueLengths = flags & 2 != 0 ? 4 : (flags & 32 != 0 ? 4 : 2) * count
        let kinds = flags & 4 != 0 ? 1 : count
        let columns = valueLengths + kinds + sequenceWidth * count + (flags & 16 != 0 ? 8 * count : 0)
        let storedLengths = form < 0x80 ? form * count : 2 + (count * (form - 0x80) + 7) / 8
        self.pageCount = pageCount
        offsets = 20 + prefixCount + columns + storedLengths + 2 * pageCount
        self.pages = pages
        guard offsets + 4 * (pageCount + 1) + 8 * pageCount <= keyPartLength else { return nil }
    }

    /// Puts the checksum of each page that is inside the block into the table.
    func seal(_ block: inout [UInt8]) {
        for page in 0..<pageCount {
            let start = pages + Int(block.word(UInt32.self, at: offsets + 4 * page) ?? 0)
            let end = pages + Int(block.word(UInt32.self, at: offsets + 4 * page + 4) ?? 0)
            guard start <= end, end <= block.count else { continue }
            let sum = block.withBytes { XXH3.hash($0.slice(start, end - start)) }
            block.put(sum, at: offsets + 4 * (pageCount + 1) + 8 * page)
        }
    }
}
