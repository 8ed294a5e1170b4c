import ShaleBase

/// Reads stored blocks of a segment in large pieces of adjacent blocks, so that a scan or compaction finds most next
/// blocks in memory. While reads continue in one direction, pieces grow from one block to the limit.
struct StoredBlockReader: ~Copyable {
    /// The largest piece in bytes. A block that is larger is read alone.
    let pieceBytesMax: Int
    private let pieceBytesMin: Int
    private var pieceBytes: Int
    private var buffer = ByteBuffer()
    private var segment: Segment?
    private var offset: UInt64 = 0

    init(pieceBytesMax: Int = 256 << 10, startsSmall: Bool = false) {
        self.pieceBytesMax = pieceBytesMax
        pieceBytesMin = startsSmall ? 0 : pieceBytesMax
        pieceBytes = pieceBytesMin
    }

    /// The size of the held memory in bytes.
    var capacity: Int { buffer.capacity }

    /// Releases the memory for pieces.
    mutating func rest() {
        segment = nil
        if buffer.capacity > StoredBlockReader.keptBytes { buffer = ByteBuffer() }
        buffer.removeAll()
    }

    private static var keptBytes: Int { 4 << 10 }

    /// Resets the size, so that the next piece is small again.
    mutating func restart() { pieceBytes = pieceBytesMin }

    /// Returns the block with its trailer, unverified; valid until the next call.
    mutating func read(_ index: Int, of segment: Segment, _ direction: Direction) throws(StorageError) -> Bytes {
        let table = try segment.index()
        let start = table.blockOffset(index)
        let end = table.blockOffset(index + 1)
        let isPresent = self.segment === segment && start >= offset && end <= offset + UInt64(buffer.count)
        if !isPresent { try readPiece(around: index, table, segment, direction) }
        return buffer.bytes.slice(Int(start - offset), Int(end - start))
    }

    private mutating func readPiece(
        around index: Int, _ table: SegmentIndex, _ segment: Segment, _ direction: Direction
    ) throws(StorageError) {
        var first = index
        var last = index + 1
        func bytes(_ first: Int, _ last: Int) -> Int { Int(table.blockOffset(last) - table.blockOffset(first)) }
        switch direction {
        case .forward: while last < table.count, bytes(first, last + 1) <= pieceBytes { last += 1 }
        case .backward: while first > 0, bytes(first - 1, last) <= pieceBytes { first -= 1 }
        }
        self.segment = nil
        offset = table.blockOffset(first)
        buffer.removeAll()
        try segment.file.read(into: buffer.extend(bytes(first, last)), at: offset)
        self.segment = segment
        pieceBytes = min(max(pieceBytes * 2, 32 << 10), pieceBytesMax)
    }
}
