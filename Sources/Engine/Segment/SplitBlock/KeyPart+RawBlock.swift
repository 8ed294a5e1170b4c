import ShaleBase

extension KeyPart {
    /// Writes the block in its raw form: DESIGN.md, "Data block".
    ///
    /// The result has exactly the raw length, but keys, kinds and sequences are not checked: the caller parses it.
    ///
    /// - Parameters:
    ///   - pages: The pages, after which ``PageDecoder/slackBytes`` are readable.
    ///   - target: Room for the raw block and as much slack.
    func writeRawBlock(_ pages: Bytes, _ decoder: PageDecoder, into target: MutableBytes) throws(ParseFailure) {
        assert(pages.count == pagesLength && target.count >= rawLength + PageDecoder.slackBytes)
        let keyLengths = DataBlockFormat.headerBytes + fields.prefixCount
        let valueLengths = keyLengths + fields.keyLengthBytes
        // Value lengths, kinds, sequences and expiries are the same in both forms.
        let shared = bytes.slice(columns.valueLengths, columns.storedLengths - columns.valueLengths)
        let suffixes = valueLengths + shared.count
        let values = rawLength - valueBytes(0..<count)
        guard suffixes <= values else { throw ParseFailure("a key part's columns are longer than its block") }
        target.copy(bytes.slice(0, DataBlockFormat.headerBytes), at: 0)
        target.copy(prefix, at: DataBlockFormat.headerBytes)
        target.copy(shared, at: valueLengths)
        try writeSuffixes(into: target.slice(0, values), keyLengths: keyLengths, from: suffixes)
        try writeValues(pages, decoder, into: target, from: values)
    }

    /// Writes suffixes and their lengths. The suffixes fill `target` from `start` to its end.
    private func writeSuffixes(
        into target: MutableBytes, keyLengths: Int, from start: Int
    ) throws(ParseFailure) {
        guard keyLengthWidth > 0 else {
            guard fixedSuffixes.count == target.count - start else {
                throw ParseFailure("a key part's keys don't fit its block")
            }
            target.copy(bytes.slice(columns.keys, 2), at: keyLengths)
            target.copy(fixedSuffixes, at: start)
            return
        }
        let groups = try groups()
        let limit = SegmentFormat.encodedKeyBytesMax - fields.prefixCount
        var (from, to) = (0, start)
        var previous = Bytes.empty
        for index in 0..<count {
            let item = try groups.item(at: from)
            if index % SplitBlockFormat.groupLength == 0 {
                guard groups.offset(ofGroup: index / SplitBlockFormat.groupLength) == from, item.shared == 0 else {
                    throw ParseFailure("a key part's groups are out of order")
                }
            }
            let length = item.shared &+ item.rest.count
            guard item.shared <= previous.count, length <= target.count &- to, length <= limit,
                !fields.hasFixedKeys || index == 0 || length == previous.count
            else { throw ParseFailure("a key part's keys don't fit its block") }
            // The suffix before ends at or before `to`, so the copy does not overlap.
            target.copy(previous.slice(0, item.shared), at: to)
            target.copy(item.rest, at: to &+ item.shared)
            target.store(UInt16(length), at: keyLengths &+ (fields.hasFixedKeys ? 0 : 2 &* index))
            previous = target.bytes.slice(to, length)
            to &+= length
            from = item.end
        }
        guard to == target.count, from == groups.itemsLength else {
            throw ParseFailure("a key part's keys don't fit its block")
        }
    }

    /// Writes the values. The first page begins with entry 0, each ends where the next begins, and the last one ends
    /// with the last entry, so they are all the values.
    private func writeValues(
        _ pages: Bytes, _ decoder: PageDecoder, into target: MutableBytes, from start: Int
    ) throws(ParseFailure) {
        var offset = start
        for number in 0..<pageCount {
            let page = try page(number)
            let stored = pages.slice(page.offset, page.length)
            try PageDecoder.verify(stored, page)
            try decoder.decode(page, stored, of: self, into: target.slice(offset, target.count - offset))
            offset += valueBytes(page.entries)
        }
        assert(offset == rawLength)
    }
}
