import ShaleBase

/// The result of a search in one block.
enum BlockLookup {
    case found(FoundEntry)
    case absent
    /// As ``DataBlock/Lookup/undecided``.
    case undecided
}

/// Lookups in blocks that are not in the cache.
extension Segment {
    /// Searches a block that is not in the cache. The calling thread is pinned; the result is borrowed until it unpins.
    ///
    /// Of a split block, only the key part and one page are read, unless the cache admits the block or the device has
    /// to be waited for. The key part's lines are on their way while the cache decides.
    @inline(never)
    func findUncached(
        _ key: Bytes, through limit: SequenceNumber, inBlock index: Int,
        _ tables: UnsafeMutablePointer<SegmentTables>, fillCache: Bool
    ) throws(StorageError) -> BlockLookup {
        let place = unsafe tables.pointee.index.place(index)
        if place.isSplit { file.touch(place.keyPartBytes, at: place.handle.offset) }
        guard place.isSplit, !(fillCache && admits(index, place)) else {
            return try unsafe block(index, tables, fillCache: fillCache).lookUp(key, through: limit)
        }
        environment.cache.countMiss()
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try find(key, through: limit, inSplitBlock: index, place, scratch)
    }

    /// Returns true if a split block that is not in the cache is to be loaded into it.
    func admits(_ index: Int, _ place: BlockPlace) -> Bool {
        environment.cache.admits(fingerprint(index), place.memoryBytes)
    }

    private func find(
        _ key: Bytes, through limit: SequenceNumber, inSplitBlock index: Int, _ place: BlockPlace,
        _ scratch: ReadScratch
    ) throws(StorageError) -> BlockLookup {
        let offset = place.handle.offset
        let firstBytes = file.firstReadBytes(place)
        scratch.buffer.removeAll()
        scratch.buffer.reserve(firstBytes + PageDecoder.slackBytes)
        let head = scratch.buffer.extend(firstBytes)
        try file.readSmall(into: head, at: offset)
        let part: KeyPart
        let entry: Int
        let (trailer, expiry): (Trailer, Int64)
        let page: KeyPart.Page
        do throws(ParseFailure) {
            part = try DataBlockReader.keyPart(head.bytes, place, file)
            switch try part.find(key, through: limit) {
            case .absent: return .absent
            case .undecided: return .undecided
            case .found(let found): entry = found
            }
            (trailer, expiry) = try part.trailer(entry)
            page = try part.page(ofEntry: entry)
        } catch {
            throw file.corruption(error.reason, at: offset)
        }
        guard part.valueLength(entry) > 0 else {
            return .found(FoundEntry(trailer: trailer, expiry: expiry, value: .empty))
        }
        let coders = try coders(forBlock: index, place.codec)
        let pageOffset = offset + UInt64(place.keyPartBytes + page.offset)
        let stored: Bytes
        if firstBytes > place.keyPartBytes {
            stored = head.bytes.slice(place.keyPartBytes + page.offset, page.length)
        } else {
            scratch.page.removeAll()
            scratch.page.reserve(page.length + PageDecoder.slackBytes)
            let target = scratch.page.extend(page.length)
            try file.readSmall(into: target, at: pageOffset)
            stored = target.bytes
        }
        do throws(ParseFailure) {
            try PageDecoder.verify(stored, page)
            let decoder = PageDecoder(
                decompressor: scratch.decompressor, dictionary: coders.dictionary, code: coders.code)
            let room = try PageDecoder.bytesNeeded(forValue: entry, page, of: part)
            let memory = environment.cache.pinnedMemory(room)
            let value = try decoder.value(entry, page, stored, of: part, into: memory)
            return .found(FoundEntry(trailer: trailer, expiry: expiry, value: value))
        } catch {
            throw file.corruption(error.reason, at: pageOffset)
        }
    }
}

extension DataBlock {
    @inline(__always)
    func lookUp(_ key: Bytes, through limit: SequenceNumber) -> BlockLookup {
        switch find(key, through: limit) {
        case .found(let entry): .found(found(entry))
        case .absent: .absent
        case .undecided: .undecided
        }
    }
}
