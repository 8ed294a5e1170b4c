package import ShaleBase
package import ShalePlatform

/// Writes one segment: entries in order, or whole blocks of other segments, then ``finish(createdMilliseconds:)``. A
/// writer that is not finished is abandoned by its caller.
///
/// After an error nothing but ``abandon()`` may be called. Not thread-safe.
@safe
package final class SegmentWriter {
    let directory: any Directory
    package let number: UInt64
    let options: SegmentWriterOptions
    let path: String

    var output: SegmentOutput
    /// Behind a pointer, because every entry passes through it: a stored property would be checked for exclusive access
    /// each time.
    private let state: UnsafeMutablePointer<EntryCollector>
    var index = SegmentIndexBuilder()
    var slices: [SliceRecord] = []
    let compressor: Compressor
    var raw = ByteBuffer(capacity: 32 << 10)
    var smallestKey: [UInt8]?

    /// The namespaces with blocks that need their dictionary, ascending.
    var dictionaryUsers: [NamespaceID] = []

    // For the ``CompressionRecord``.
    /// Whether copied blocks were offered to the same codec as new ones.
    var hasOneCompression = true
    var hasVersions = false

    // Blocks that others compress, the oldest first: see SegmentWriter+Helpers.
    var underWay: [BlockTask] = []
    var spareTasks: [BlockTask] = []

    // Stored blocks: see SegmentWriter+StoredBlocks.
    var sourceReader = StoredBlockReader()
    var lastStored: (segment: Segment, index: Int)?
    var adoptedFilter: Segment?
    var adoptedFilterBytes = 0

    /// Creates the file, which must not exist.
    package init(
        directory: any Directory, number: UInt64, options: SegmentWriterOptions = SegmentWriterOptions()
    ) throws(StorageError) {
        self.directory = directory
        self.number = number
        self.options = options
        let name = SegmentFileName.make(number)
        path = FileName.join(directory.path, name)
        do {
            output = SegmentOutput(try directory.create(name), path: path)
        } catch {
            throw error.storageError.inFile(path)
        }
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(
            to: EntryCollector(filterBitsPerKey: options.filterBitsPerKey, blockBytes: options.blockBytes))
        compressor = Compressor(options.codec)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    var collector: EntryCollector {
        @inline(__always) _read { yield unsafe state.pointee }
        @inline(__always) _modify { yield unsafe &state.pointee }
    }

    /// Reserves space for the file; what is not used is given back at the end.
    package func preallocate(_ bytes: UInt64) throws(StorageError) { try output.preallocate(bytes) }

    /// Bytes of finished blocks so far, without those that are with helpers: what a caller paces itself by.
    package var writtenBytes: UInt64 { output.offset }

    package var isEmpty: Bool { index.count == 0 && underWay.isEmpty && collector.builder.isEmpty }

    /// About how large the file would be if it were finished now. The unfinished block counts uncompressed.
    package var estimatedFileBytes: UInt64 {
        let filterBytes = adoptedFilterBytes > 0 ? adoptedFilterBytes : collector.filter.rawBytes
        let rest =
            collector.builder.rawBytes + filterBytes + index.rawBytes + slices.count * SliceRecord.encodedBytes + 512
        return output.offset + UInt64(rest)
    }

    /// Adds an entry: key ascending, trailer descending within a key. `expiry` is 0 unless the kind has one; deletes
    /// have an empty value.
    package func add(_ key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) throws(StorageError) {
        if addToBlock(key, trailer: trailer, expiry: expiry, value: value) { return }
        try finishBlock(next: key, continues: collector.builder.lastKey == key)
        // An empty block takes any entry.
        _ = addToBlock(key, trailer: trailer, expiry: expiry, value: value)
    }

    /// The same, unless a new block has to begin before the entry: then false, and nothing has happened. Nearly all
    /// entries are added by this, without a path for errors.
    package func addToBlock(_ key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) -> Bool {
        assert(key.count >= EncodedKey.namespaceWidth && key.count <= SegmentFormat.encodedKeyBytesMax)
        assert(trailer.kind.isKnown && trailer.sequence <= Trailer.sequenceMax)
        assert(trailer.kind.hasExpiry || expiry == 0)
        assert(!trailer.kind.isDelete || value.isEmpty)
        return unsafe state.pointee.add(key, trailer, expiry, value)
    }

    /// Closes the block under construction, if there is one. `next` is the key that will follow.
    func finishBlock(next: Bytes?, continues: Bool) throws(StorageError) {
        guard !collector.builder.isEmpty else { return }
        if smallestKey == nil { smallestKey = collector.builder.firstKey.array() }
        let separator = separator(collector.builder.lastKey, next, continues)
        if let helpers = options.helpers {
            try handOnBlock(helpers, separator: separator, continues: continues)
        } else {
            raw.removeAll()
            collector.builder.encode(to: &raw)
            let offset = output.offset
            let start = output.buffer.count
            let namespace = EncodedKey.namespace(of: collector.builder.lastKey)
            let codec = compressor.append(raw.bytes, options.dictionaries[namespace], to: &output.buffer)
            try place(
                storedLength: output.buffer.count - start, rawLength: raw.count, offset, codec,
                collector.builder.statistics, separator: separator, continues: continues)
        }
        collector.finishBlock()
        lastStored = nil
    }

    /// Ends a block whose stored bytes are the last ones of the output, from `offset` of the file on.
    func place(
        storedLength: Int, rawLength: Int, _ offset: UInt64, _ codec: StoredCodec, _ statistics: BlockStatistics,
        separator: Bytes, continues: Bool
    ) throws(StorageError) {
        noteDictionary(EncodedKey.namespace(of: separator), codec)
        StoredBlock.seal(
            &output.buffer, storedLength: storedLength, codec: codec, type: .data, file: number, offset: offset)
        let handle = BlockHandle(
            offset: offset, storedLength: UInt32(storedLength), rawLength: UInt32(rawLength))
        addRow(
            IndexRow(handle: handle, codec: codec, statistics: statistics, continues: continues), separator: separator)
        try output.writeIfLarge()
    }

    func noteDictionary(_ namespace: NamespaceID, _ codec: StoredCodec) {
        if codec == .zstdDictionary, dictionaryUsers.last != namespace { dictionaryUsers.append(namespace) }
    }

    private func separator(_ last: Bytes, _ next: Bytes?, _ continues: Bool) -> Bytes {
        // Across namespaces the last key serves: a separator belongs to its block's namespace.
        guard let next, !continues, EncodedKey.namespace(of: next) == EncodedKey.namespace(of: last),
            let length = Separator.shortLength(last, before: next)
        else { return last }
        return next.slice(0, length)
    }

    /// Puts a block that stands in the output into index and directory.
    func addRow(_ row: IndexRow, separator: Bytes) {
        let namespace = EncodedKey.namespace(of: separator)
        if slices.last?.namespace != namespace {
            slices.append(SliceRecord(namespace: namespace, firstBlock: UInt32(index.count)))
        }
        slices[slices.count - 1].add(row.statistics, storedBytes: row.handle.totalBytes)
        if row.statistics.hasVersions || row.continues { hasVersions = true }
        index.add(row, separator: separator)
    }

    /// Closes and removes the file. Mostly called after an error, which is the one to report: what fails here is
    /// returned, and leaves a file that nothing refers to, which the next open of the store deletes.
    @discardableResult
    package func abandon() -> IOFailure? {
        do {
            try output.close()
            try directory.remove(SegmentFileName.make(number))
            return nil
        } catch {
            return error
        }
    }
}
