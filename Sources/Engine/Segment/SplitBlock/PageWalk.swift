import ShaleBase

/// Reads the pages of a split block in the order of a cursor, and decodes the values of its runs. Reuses its memory.
///
/// A page is read and verified when the cursor reaches it. Values that are coded one by one are decoded for the run
/// alone; a page that is compressed as a whole is decompressed once; values that are stored as they are stay where they
/// are.
@safe
struct PageWalk: ~Copyable {
    /// The pages that are present: all of the block, which the cursor has read, or some in ``memory``.
    private var stored = Bytes.empty
    /// The offset of the first one in the pages of the block.
    private var storedOffset = 0
    private var memory = ByteBuffer()
    /// The number of pages that the next read takes: one, then twice as many each time.
    private var pagesPerRead = 1
    /// The current page, which is present and verified.
    private(set) var page: KeyPart.Page?
    private var values = ByteBuffer()
    /// True if ``values`` are those of the whole current page.
    private var isDecompressed = false
    // In a page whose values are coded one by one: an entry, and the offset of its value.
    private var nextEntry = 0
    private var nextOffset = 0

    private static let pagesPerReadMax = 8

    /// The held memory in bytes.
    var capacity: Int { memory.capacity + values.capacity }

    /// Begins another block. Without `pages`, which stay borrowed, pages are read when they are needed.
    mutating func restart(_ pages: Bytes?) {
        stored = pages ?? .empty
        storedOffset = 0
        pagesPerRead = 1
        page = nil
    }

    /// True if no page is present.
    var isEmpty: Bool { stored.isEmpty }

    // MARK: Pages

    /// Makes the page of an entry the current one.
    ///
    /// - Parameter start: The offset of the block's first page in `file`.
    mutating func enter(
        _ entry: Int, of part: KeyPart, _ file: SegmentFile, at start: UInt64, isForward: Bool
    ) throws(StorageError) {
        if let page, page.entries.contains(entry) { return }
        page = nil
        let wanted: KeyPart.Page
        do throws(ParseFailure) {
            wanted = try part.page(ofEntry: entry)
        } catch {
            throw file.corruption(error.reason, at: start)
        }
        if !isPresent(wanted) {
            let range = try place(ofPagesFrom: part.pageNumber(ofEntry: entry), part, file, start, isForward: isForward)
            try read(range, file, start)
        }
        do throws(ParseFailure) {
            try PageDecoder.verify(bytes(wanted), wanted)
        } catch {
            throw file.corruption(error.reason, at: start + UInt64(wanted.offset))
        }
        page = wanted
        isDecompressed = false
        nextEntry = wanted.entries.lowerBound
        nextOffset = 0
    }

    private func isPresent(_ page: KeyPart.Page) -> Bool {
        page.offset >= storedOffset && page.offset + page.length <= storedOffset + stored.count
    }

    /// Returns the stored bytes of a page that is present.
    private func bytes(_ page: KeyPart.Page) -> Bytes { stored.slice(page.offset - storedOffset, page.length) }

    /// Returns the place of the next pages to read, in the pages of the block.
    private func place(
        ofPagesFrom number: Int, _ part: KeyPart, _ file: SegmentFile, _ start: UInt64, isForward: Bool
    ) throws(StorageError) -> Range<Int> {
        let (first, last) =
            isForward
            ? (number, min(number + pagesPerRead, part.pageCount) - 1) : (max(0, number + 1 - pagesPerRead), number)
        do throws(ParseFailure) {
            let (lower, upper) = (try part.page(first), try part.page(last))
            guard lower.offset <= upper.offset else { throw ParseFailure("a key part's pages are out of order") }
            return lower.offset..<(upper.offset + upper.length)
        } catch {
            throw file.corruption(error.reason, at: start)
        }
    }

    private mutating func read(_ range: Range<Int>, _ file: SegmentFile, _ start: UInt64) throws(StorageError) {
        stored = .empty
        memory.removeAll()
        memory.reserve(range.count + PageDecoder.slackBytes)
        let target = memory.extend(range.count)
        if !range.isEmpty { try file.readSmall(into: target, at: start + UInt64(range.lowerBound)) }
        stored = target.bytes
        storedOffset = range.lowerBound
        pagesPerRead = min(2 * pagesPerRead, PageWalk.pagesPerReadMax)
    }

    // MARK: Values

    /// Returns the values of some entries of the current page, one after the other; valid until the next call.
    mutating func values(
        _ entries: Range<Int>, of part: KeyPart, _ decoder: PageDecoder
    ) throws(ParseFailure) -> Bytes {
        let count = part.valueBytes(entries)
        guard count <= part.rawLength else { throw ParseFailure("a value is longer than its block") }
        guard count > 0, let page else { return .empty }
        if part.codec == .valueCode { return try decode(entries, count, page, part, decoder) }
        let offset = part.valueBytes(page.entries.lowerBound..<entries.lowerBound)
        // A page that is not compressed is as long as its values, so these are inside.
        guard PageDecoder.isCompressed(page, part) else { return bytes(page).slice(offset, count) }
        if !isDecompressed { try decompress(page, part, decoder) }
        return values.bytes.slice(offset, count)
    }

    private mutating func decode(
        _ entries: Range<Int>, _ count: Int, _ page: KeyPart.Page, _ part: KeyPart, _ decoder: PageDecoder
    ) throws(ParseFailure) -> Bytes {
        if nextEntry != entries.lowerBound {
            nextOffset = (page.entries.lowerBound..<entries.lowerBound).reduce(0) { $0 &+ part.storedLength($1) }
        }
        guard nextOffset <= page.length else { throw ParseFailure("a page is shorter than its values") }
        values.removeAll()
        let target = values.extend(count + PageDecoder.slackBytes)
        nextOffset += try decoder.decode(entries, bytes(page).suffix(from: nextOffset), of: part, into: target)
        nextEntry = entries.upperBound
        guard nextEntry < page.entries.upperBound || nextOffset == page.length else {
            throw ParseFailure("a page is longer than its values")
        }
        return target.bytes.slice(0, count)
    }

    private mutating func decompress(
        _ page: KeyPart.Page, _ part: KeyPart, _ decoder: PageDecoder
    ) throws(ParseFailure) {
        let count = part.valueBytes(page.entries)
        guard count <= part.rawLength else { throw ParseFailure("a value is longer than its block") }
        values.removeAll()
        try decoder.decompress(bytes(page), part, count: count, into: values.extend(count + PageDecoder.slackBytes))
        isDecompressed = true
    }

    /// Releases memory that large pages have taken.
    mutating func releaseBuffers() {
        restart(nil)
        if capacity > PageWalk.keptBytes {
            memory = ByteBuffer()
            values = ByteBuffer()
        }
    }

    private static let keptBytes = 8 << 10
}
