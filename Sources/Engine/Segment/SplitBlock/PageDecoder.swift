import ShaleBase

/// Decodes the values of split blocks. Uses a decompressor, and so serves one thread at a time.
struct PageDecoder {
    let decompressor: Decompressor
    /// The dictionary of the block's slice, if its codec needs one.
    var dictionary: DigestedDictionary?
    /// The value code of the block's slice, if its codec needs one.
    var code: ValueCode?

    /// The bytes that must be readable after stored values, and writable after decoded ones.
    static let slackBytes = ValueCode.slackBytes

    /// Throws unless a page, as read, has its checksum. The page must not be used before.
    static func verify(_ stored: Bytes, _ page: KeyPart.Page) throws(ParseFailure) {
        guard SplitBlockFormat.checksum(stored) == page.checksum || PlantedBug.isActive(.skipBlockChecksum) else {
            throw ParseFailure("a page fails its checksum")
        }
    }

    /// Decodes all values of a verified page, one after the other.
    ///
    /// `target` has room for them and for ``slackBytes`` more, and as many are readable after `stored`.
    func decode(
        _ page: KeyPart.Page, _ stored: Bytes, of part: KeyPart, into target: MutableBytes
    ) throws(ParseFailure) {
        guard part.codec == .valueCode else {
            return try decompress(stored, part, count: part.valueBytes(page.entries), into: target)
        }
        let storedCount = try decode(page.entries, stored, of: part, into: target)
        guard storedCount == stored.count else { throw ParseFailure("a page is longer than its values") }
    }

    /// Decodes the values of some entries of a verified page, one after the other.
    ///
    /// The values are stored one by one, from the start of `stored` on. `target` has room for them, and ``slackBytes``
    /// are readable after `stored`.
    ///
    /// - Returns: The number of stored bytes that they take.
    func decode(
        _ entries: Range<Int>, _ stored: Bytes, of part: KeyPart, into target: MutableBytes
    ) throws(ParseFailure) -> Int {
        guard let code else { throw ParseFailure("a block needs a value code that is missing") }
        return try code.decode(stored, entries, part, into: target)
    }

    /// Decompresses a verified page, whose values have `count` bytes. A page that did not shrink is copied.
    func decompress(
        _ stored: Bytes, _ part: KeyPart, count: Int, into target: MutableBytes
    ) throws(ParseFailure) {
        guard stored.count != count else { return target.copy(stored, at: 0) }
        guard stored.count < count else { throw ParseFailure("a page is longer than its values") }
        try decompressor.decompress(stored, part.codec, dictionary, into: target.slice(0, count))
    }

    // MARK: One value

    /// Returns the room that ``value(_:_:_:of:into:)`` needs, which is bounded by the block's raw length.
    static func bytesNeeded(forValue index: Int, _ page: KeyPart.Page, of part: KeyPart) throws(ParseFailure) -> Int {
        let isPart = isCompressed(page, part)
        let count = isPart ? part.valueBytes(page.entries) : part.valueLength(index)
        guard count <= part.rawLength else { throw ParseFailure("a value is longer than its block") }
        return count + slackBytes
    }

    /// Decodes the value of one entry of a verified page into `target`, and returns it there.
    ///
    /// `target` has ``bytesNeeded(forValue:_:of:)`` bytes, and ``slackBytes`` are readable after `stored`.
    func value(
        _ index: Int, _ page: KeyPart.Page, _ stored: Bytes, of part: KeyPart, into target: MutableBytes
    ) throws(ParseFailure) -> Bytes {
        let count = part.valueLength(index)
        if part.codec == .valueCode {
            let offset = (page.entries.lowerBound..<index).reduce(0) { $0 &+ part.storedLength($1) }
            let storedCount = part.storedLength(index)
            guard offset <= stored.count, storedCount <= stored.count - offset else {
                throw ParseFailure("a page is shorter than its values")
            }
            try decode(stored.slice(offset, storedCount), count: count, into: target)
            return target.bytes.slice(0, count)
        }
        let offset = part.valueBytes(page.entries.lowerBound..<index)
        guard PageDecoder.isCompressed(page, part) else {
            // The page is as long as its values, so the value is inside.
            target.copy(stored.slice(offset, count), at: 0)
            return target.bytes.slice(0, count)
        }
        try decompress(stored, part, count: part.valueBytes(page.entries), into: target)
        return target.bytes.slice(offset, count)
    }

    /// True if a page has to be decompressed as a whole.
    static func isCompressed(_ page: KeyPart.Page, _ part: KeyPart) -> Bool {
        part.codec != .valueCode && page.length != part.valueBytes(page.entries)
    }

    /// A value that did not shrink is stored as it is, and so has its own length.
    private func decode(_ stored: Bytes, count: Int, into target: MutableBytes) throws(ParseFailure) {
        guard stored.count != count else { return target.copy(stored, at: 0) }
        guard stored.count < count, count <= ValueCodeFormat.valueBytesMax else {
            throw ParseFailure("a stored value's length is invalid")
        }
        guard let code else { throw ParseFailure("a block needs a value code that is missing") }
        try code.decode(stored, count: count, into: target)
    }
}
