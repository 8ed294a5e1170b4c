package import ShaleBase
package import ShalePlatform

/// Options for writing a segment.
package struct SegmentWriterOptions: Sendable, Equatable {
    /// The raw size in bytes at which a data block is cut.
    package var blockBytes: Int
    package var codec: BlockCodec
    /// The filter's bits per key; 0 for no filter.
    package var filterBitsPerKey: Int
    /// The dictionaries for blocks of these namespaces, if the codec is zstd.
    package var dictionaries: [NamespaceID: BlockDictionary] = [:]
    /// True if blocks are split into a key part and pages, which needs a reader of format 2.
    package var splitsBlocks = false
    /// The namespaces whose blocks are split, if blocks are; `nil` for all.
    package var splitNamespaces: Set<NamespaceID>?
    /// The value codes for split blocks of these namespaces. Pages of other namespaces are compressed as a whole.
    package var valueCodes: [NamespaceID: SliceCode] = [:]
    /// True if no other dictionary would be worthwhile: see ``CompressionRecord``.
    package var soughtDictionaries = false
    /// Threads that compress blocks besides the writer's; `nil` for none.
    package var helpers: CompressionHelpers?

    package init(blockBytes: Int = 16 << 10, codec: BlockCodec = .lz4, filterBitsPerKey: Int = 10) {
        self.blockBytes = blockBytes
        self.codec = codec
        self.filterBitsPerKey = filterBitsPerKey
    }

    /// Returns true if a namespace's blocks are split.
    package func splits(_ namespace: NamespaceID) -> Bool {
        splitsBlocks && splitNamespaces?.contains(namespace) ?? true
    }

    /// Returns the form of a namespace's blocks.
    func form(of namespace: NamespaceID) -> BlockForm {
        BlockForm(
            dictionary: dictionaries[namespace], splits: splits(namespace), code: valueCodes[namespace]?.code)
    }

    /// Returns the identifier of what a namespace's blocks with this codec need.
    func coderIdentifier(of namespace: NamespaceID, _ codec: StoredCodec) -> UInt64? {
        switch codec {
        case .none, .lz4, .zstd: nil
        case .zstdDictionary: dictionaries[namespace]?.identifier
        case .valueCode: valueCodes[namespace]?.code.identifier
        }
    }
}

/// The value code of a namespace's blocks.
package struct SliceCode: Sendable, Equatable {
    package let code: ValueCode
    /// The share that the code saved of the test samples when it was made, in thousandths of their size without it.
    package let savedShare: UInt32

    package init(_ code: ValueCode, savedShare: UInt32) {
        self.code = code
        self.savedShare = savedShare
    }
}

/// Writes one segment: ordered entries, or whole blocks of other segments, then ``finish(createdMilliseconds:)``.
///
/// If a writer is not finished, its caller calls ``abandon()``. After an error, no other function may be called. Not
/// thread-safe.
@safe
package final class SegmentWriter {
    let directory: any Directory
    package let number: UInt64
    let options: SegmentWriterOptions
    let path: String

    var output: SegmentOutput
    /// Behind a pointer, because every entry passes through it: a stored property would cost an exclusivity check each
    /// time.
    private let state: UnsafeMutablePointer<EntryCollector>
    var index = SegmentIndexBuilder()
    var slices: [SliceRecord] = []
    let encoder: BlockEncoder
    var raw = ByteBuffer(capacity: 32 << 10)
    var smallestKey: [UInt8]?

    /// The namespaces with blocks that need their dictionary or their value code, ascending.
    var dictionaryUsers: [NamespaceID] = []
    var codeUsers: [NamespaceID] = []

    // For the ``CompressionRecord``.
    /// True if copied blocks had the same target codec as new ones.
    var hasOneCompression = true
    var hasVersions = false

    /// The uses of value files by the entries that were added. Set before ``finish(createdMilliseconds:)``.
    package var values: [ValueUse] = []

    // Blocks that helper threads compress, the oldest first: see SegmentWriter+Helpers.
    var inFlight: [BlockTask] = []
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
        encoder = BlockEncoder(options.codec)
    }

    deinit {
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    var collector: EntryCollector {
        @inline(__always) _read { yield unsafe state.pointee }
        @inline(__always) _modify { yield unsafe &state.pointee }
    }

    /// Reserves space for the file; `finish` frees what is not used.
    package func preallocate(_ bytes: UInt64) throws(StorageError) { try output.preallocate(bytes) }

    /// The bytes of finished blocks so far, without blocks in flight. Callers pace themselves by it.
    package var writtenBytes: UInt64 { output.offset }

    package var isEmpty: Bool { index.count == 0 && inFlight.isEmpty && collector.builder.isEmpty }

    /// An estimate of the file's size if it were finished now. The unfinished block counts uncompressed.
    package var estimatedFileBytes: UInt64 {
        let filterBytes = adoptedFilterBytes > 0 ? adoptedFilterBytes : collector.filter.rawBytes
        let rest =
            collector.builder.rawBytes + filterBytes + index.rawBytes + slices.count * SliceRecord.encodedBytes + 512
        return output.offset + UInt64(rest)
    }

    /// Adds an entry.
    ///
    /// Entries are ordered by ascending key, then by descending trailer. `expiry` is 0 unless the kind has one; deletes
    /// have an empty value.
    package func add(_ key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) throws(StorageError) {
        if addToBlock(key, trailer: trailer, expiry: expiry, value: value) { return }
        try finishBlock(next: key, continues: collector.builder.lastKey == key)
        // An empty block takes any entry.
        _ = addToBlock(key, trailer: trailer, expiry: expiry, value: value)
    }

    /// Adds an entry to the current block. Returns false, without any change, if a new block must begin before it.
    ///
    /// Nearly all entries take this path, which can't throw.
    package func addToBlock(_ key: Bytes, trailer: Trailer, expiry: Int64, value: Bytes) -> Bool {
        assert(key.count >= EncodedKey.namespaceWidth && key.count <= SegmentFormat.encodedKeyBytesMax)
        assert(trailer.kind.isKnown && trailer.sequence <= Trailer.sequenceMax)
        assert(trailer.kind.hasExpiry || expiry == 0)
        assert(!trailer.kind.isDelete || value.isEmpty)
        return unsafe state.pointee.add(key, trailer, expiry, value)
    }

    /// Closes the block under construction, if there is one. `next` is the key that follows.
    func finishBlock(next: Bytes?, continues: Bool) throws(StorageError) {
        guard !collector.builder.isEmpty else { return }
        if smallestKey == nil { smallestKey = collector.builder.firstKey.array() }
        let separator = separator(collector.builder.lastKey, next, continues)
        if let helpers = options.helpers {
            try submitBlock(helpers, separator: separator, continues: continues)
        } else {
            raw.removeAll()
            collector.builder.encode(to: &raw)
            let offset = output.offset
            let start = output.buffer.count
            let form = options.form(of: EncodedKey.namespace(of: collector.builder.lastKey))
            let block: BlockEncoder.Block
            do throws(ParseFailure) {
                block = try encoder.append(raw.bytes, count: collector.builder.count, form, to: &output.buffer)
            } catch {
                throw unencodable(error)
            }
            try place(
                block, bytes: output.buffer.count - start, rawLength: raw.count, offset,
                collector.builder.statistics, separator: separator, continues: continues)
        }
        collector.finishBlock()
        lastStored = nil
    }

    /// Returns the error for a block that its own builder made wrong.
    func unencodable(_ failure: ParseFailure) -> StorageError {
        .corruption("a new block does not parse: \(failure.reason)", file: path, offset: output.offset)
    }

    /// Completes a block whose encoded form is the last `bytes` of the output, from `offset` of the file on.
    func place(
        _ block: BlockEncoder.Block, bytes: Int, rawLength: Int, _ offset: UInt64, _ statistics: BlockStatistics,
        separator: Bytes, continues: Bool
    ) throws(StorageError) {
        noteCoder(EncodedKey.namespace(of: separator), block.codec)
        // A split block has its trailer already.
        let storedLength = block.keyPartLength > 0 ? bytes - SegmentFormat.blockTrailerBytes : bytes
        let row = IndexRow(
            handle: BlockHandle(offset: offset, storedLength: UInt32(storedLength), rawLength: UInt32(rawLength)),
            codec: block.codec, statistics: statistics, continues: continues,
            keyPartLength: UInt32(block.keyPartLength))
        seal(row, at: offset)
        addRow(row, separator: separator)
        try output.writeIfLarge()
    }

    /// Completes the trailer of a block at the end of the output, which has room for it if the block is split.
    func seal(_ row: IndexRow, at offset: UInt64) {
        guard row.isSplit else {
            return StoredBlock.seal(
                &output.buffer, storedLength: Int(row.handle.storedLength), codec: row.codec, type: .data,
                file: number, offset: offset)
        }
        let block = output.buffer.mutableBytes.suffix(from: output.buffer.count - row.handle.totalBytes)
        StoredBlock.seal(
            block.slice(0, row.place.keyPartBytes), codec: row.codec, type: .keyPart, file: number,
            offset: offset)
    }

    func noteCoder(_ namespace: NamespaceID, _ codec: StoredCodec) {
        switch codec {
        case .none, .lz4, .zstd: break
        case .zstdDictionary: if dictionaryUsers.last != namespace { dictionaryUsers.append(namespace) }
        case .valueCode: if codeUsers.last != namespace { codeUsers.append(namespace) }
        }
    }

    private func separator(_ last: Bytes, _ next: Bytes?, _ continues: Bool) -> Bytes {
        // At the end of a namespace the last key is used: a separator belongs to its block's namespace.
        guard let next, !continues, EncodedKey.namespace(of: next) == EncodedKey.namespace(of: last),
            let length = Separator.shortLength(last, before: next)
        else { return last }
        return next.slice(0, length)
    }

    /// Adds a block that is in the output to index and directory.
    func addRow(_ row: IndexRow, separator: Bytes) {
        let namespace = EncodedKey.namespace(of: separator)
        if slices.last?.namespace != namespace {
            slices.append(SliceRecord(namespace: namespace, firstBlock: UInt32(index.count)))
        }
        slices[slices.count - 1].add(row.statistics, storedBytes: row.handle.totalBytes)
        if row.statistics.hasVersions || row.continues { hasVersions = true }
        index.add(row, separator: separator)
    }

    /// Closes and removes the file.
    ///
    /// The caller usually has an error to report already, so a failure here is returned. It leaves an unreferenced
    /// file, which the next opening of the store deletes.
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

extension SegmentWriter {
    /// An estimate of the writer's memory in bytes: buffers, the hashes of its keys, its index.
    package var memoryBytes: Int {
        // Buffers grow by doubling; an index row takes about three times its stored length.
        let collected = 2 * 8 * collector.filter.keyCount + 3 * index.rawBytes
        let tasks = (inFlight.count + spareTasks.count) * 3 * options.blockBytes
        return output.buffer.capacity + raw.capacity + sourceReader.capacity + collected + tasks
            + SegmentWriter.fixedMemoryBytes
    }

    /// A compression context and the columns of one block.
    private static var fixedMemoryBytes: Int { 1 << 20 }
}
