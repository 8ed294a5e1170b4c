import ShaleBase
import ShalePlatform

/// Reads stored data blocks: verifies the checksum, decompresses, then parses the structure.
enum DataBlockReader {
    /// The bytes that must be readable after a stored block.
    static let slackBytes = PageDecoder.slackBytes

    /// Reads one block, with one read of the file, into `block`, which has room for it. Frees `block` on failure.
    static func read(
        _ place: BlockPlace, _ coders: BlockCoders, of file: SegmentFile, _ scratch: ReadScratch,
        into block: DataBlock
    ) throws(StorageError) {
        let (count, rawLength) = (place.entryCount, place.rawLength)
        do {
            if !place.isSplit, place.codec == .none, place.handle.storedLength == place.handle.rawLength {
                // The stored bytes are the raw block: read in place, with the trailer in the slack.
                let target = block.rawTarget(count: count, rawLength: rawLength)
                    .slice(0, rawLength + SegmentFormat.blockTrailerBytes)
                try file.read(into: target, at: place.handle.offset)
                try verifyAndParse(target.bytes, place, block, file)
            } else {
                scratch.buffer.removeAll()
                scratch.buffer.reserve(place.handle.totalBytes + slackBytes)
                let target = scratch.buffer.extend(place.handle.totalBytes)
                try file.read(into: target, at: place.handle.offset)
                try decode(target.bytes, place, coders, into: block, file, scratch.decompressor)
            }
        } catch {
            block.free()
            throw error
        }
    }

    /// Decodes a block as read from `file`, including its trailer, into `block`, which has room for it.
    ///
    /// ``slackBytes`` are readable after `stored`.
    static func decode(
        _ stored: Bytes, _ place: BlockPlace, _ coders: BlockCoders, into block: DataBlock,
        _ file: SegmentFile, _ decompressor: Decompressor
    ) throws(StorageError) {
        let (count, rawLength) = (place.entryCount, place.rawLength)
        do {
            let target = block.rawTarget(count: count, rawLength: rawLength)
            if place.isSplit {
                let part = try keyPart(stored, place, file)
                let decoder = PageDecoder(
                    decompressor: decompressor, dictionary: coders.dictionary, code: coders.code)
                try part.writeRawBlock(pages(of: stored, place), decoder, into: target)
            } else {
                try verify(stored, place, file)
                let content = stored.slice(0, Int(place.handle.storedLength))
                try decompressor.decompress(
                    content, place.codec, coders.dictionary, into: target.slice(0, rawLength))
            }
            try block.parse(count: count, rawLength: rawLength)
        } catch {
            throw file.corruption(error.reason, at: place.handle.offset)
        }
    }

    private static func verifyAndParse(
        _ stored: Bytes, _ place: BlockPlace, _ block: DataBlock, _ file: SegmentFile
    ) throws(StorageError) {
        do {
            try verify(stored, place, file)
            try block.parse(count: place.entryCount, rawLength: place.rawLength)
        } catch {
            throw file.corruption(error.reason, at: place.handle.offset)
        }
    }

    /// Verifies a block as read, including its trailer, against its checksums and its index row.
    static func verify(_ stored: Bytes, _ place: BlockPlace, _ file: SegmentFile) throws(ParseFailure) {
        if place.isSplit {
            let part = try keyPart(stored, place, file)
            let pages = pages(of: stored, place)
            for number in 0..<part.pageCount {
                let page = try part.page(number)
                try PageDecoder.verify(pages.slice(page.offset, page.length), page)
            }
            return
        }
        let codec = try StoredBlock.verify(stored, type: .data, file: file.number, offset: place.handle.offset)
        guard codec == place.codec else { throw ParseFailure("a block's codec differs from the index") }
    }

    // MARK: Split blocks

    /// Verifies and parses the key part with which `stored` begins.
    static func keyPart(_ stored: Bytes, _ place: BlockPlace, _ file: SegmentFile) throws(ParseFailure) -> KeyPart {
        let codec = try StoredBlock.verify(
            stored.slice(0, place.keyPartBytes), type: .keyPart, file: file.number, offset: place.handle.offset)
        guard codec == place.codec else { throw ParseFailure("a block's codec differs from the index") }
        return try KeyPart(
            stored.slice(0, place.keyPartLength), expectedCount: place.entryCount, codec: codec,
            rawLength: place.rawLength, pagesLength: place.pagesLength)
    }

    private static func pages(of stored: Bytes, _ place: BlockPlace) -> Bytes {
        stored.suffix(from: place.keyPartBytes)
    }
}

/// The temporary resources of one block read: a decompressor, a buffer for stored bytes, and one for a page.
final class ReadScratch {
    let decompressor = Decompressor()
    var buffer = ByteBuffer()
    var page = ByteBuffer()

    var capacity: Int { buffer.capacity + page.capacity }
}

/// A pool of ``ReadScratch``, reused between reads. Thread-safe; one thread uses a scratch at a time.
final class ReadScratchPool: @unchecked Sendable {
    private let lock = Lock()
    private var idle: [ReadScratch] = []

    private static let idleMax = 64
    /// Larger buffers come from single huge blocks and are not kept.
    private static let keptBytesMax = 256 << 10

    func take() -> ReadScratch { lock.withLock { idle.popLast() } ?? ReadScratch() }

    func put(_ scratch: ReadScratch) {
        guard scratch.capacity <= ReadScratchPool.keptBytesMax else { return }
        scratch.buffer.removeAll()
        lock.withLock {
            if idle.count < ReadScratchPool.idleMax { idle.append(scratch) }
        }
    }
}

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
    mutating func releaseBuffers() {
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
        buffer.reserve(bytes(first, last) + DataBlockReader.slackBytes)
        try segment.file.read(into: buffer.extend(bytes(first, last)), at: offset)
        self.segment = segment
        pieceBytes = min(max(pieceBytes * 2, 32 << 10), pieceBytesMax)
    }
}
