package import ShaleBase

extension SegmentWriter {
    /// Uses the filter of `segment` for this segment, so that blocks can be copied without decoding them.
    ///
    /// Call it before anything is added, and only if every entry of the output comes from `segment`.
    ///
    /// - Returns: False, without any change, if the source has no filter but this segment needs one.
    package func adoptFilter(of segment: Segment) throws(StorageError) -> Bool {
        assert(isEmpty)
        try segment.open()
        guard options.filterBitsPerKey > 0, let source = segment.rawFilter else { return options.filterBitsPerKey <= 0 }
        adoptedFilter = segment
        adoptedFilterBytes = source.count
        collector.hashesKeys = false
        return true
    }

    /// Copies a block in its stored form.
    ///
    /// Verifies its checksum at the old offset and computes a new one for the new offset.
    ///
    /// The block's keys lie above all keys added so far, and later keys lie above its separator. Without an adopted
    /// filter, the block is decoded once for its keys' hashes. A block that needs a dictionary needs the same
    /// dictionary here.
    package func addStoredBlock(from segment: Segment, index blockIndex: Int) throws(StorageError) {
        try finishBlock(next: nil, continues: false)
        try collectBlocks()
        let source = try segment.index()
        let row = source.row(blockIndex)
        let stored = try sourceReader.read(blockIndex, of: segment, .forward)
        if hasOneCompression, lastStored?.segment !== segment {
            let record = try segment.compression()
            hasOneCompression = record?.codec == options.codec && record?.splitsBlocks == options.splitsBlocks
        }
        let separator = source.separator(blockIndex)
        let namespace = source.namespace(blockIndex)
        if let needed = try segment.coderIdentifier(forBlock: blockIndex) {
            guard needed == options.coderIdentifier(of: namespace, row.codec) else {
                throw .invalid("a block can't be copied without its dictionary")
            }
            noteCoder(namespace, row.codec)
        }
        if collector.hashesKeys || smallestKey == nil {
            try inspect(stored, blockIndex, row, segment)
        } else {
            do {
                try DataBlockReader.verify(stored, row.place, segment.file)
            } catch {
                throw segment.file.corruption(error.reason, at: row.handle.offset)
            }
        }
        let offset = output.offset
        output.buffer.append(row.isSplit ? stored : stored.slice(0, Int(row.handle.storedLength)))
        seal(row, at: offset)
        var copied = row
        copied.handle = BlockHandle(
            offset: offset, storedLength: row.handle.storedLength, rawLength: row.handle.rawLength)
        unsafe separator.withUnsafeBytes {
            addRow(copied, separator: unsafe Bytes($0))
            collector.noteStoredBlock(separator: unsafe Bytes($0))
        }
        lastStored = (segment, blockIndex)
        try output.writeIfLarge()
    }

    /// Decodes a stored block for its first key and its keys' hashes.
    private func inspect(
        _ stored: Bytes, _ index: Int, _ row: IndexRow, _ segment: Segment
    ) throws(StorageError) {
        let block = try segment.decode(stored, index, row.place)
        defer { block.release() }
        if smallestKey == nil { smallestKey = block.key(0) }
        guard collector.hashesKeys else { return }
        var scratch = ByteBuffer(capacity: block.prefixCount + block.suffixCountMax)
        for i in 0..<block.count {
            if i > 0, block.hasVersions, block.suffix(i) == block.suffix(i - 1) { continue }
            scratch.removeAll()
            scratch.append(block.prefix)
            scratch.append(block.suffix(i))
            collector.filter.add(XXH3.hash(scratch.bytes))
        }
    }
}

/// Compression of blocks by helper threads while the next blocks are built. The writer's thread calls all functions.
extension SegmentWriter {
    /// Queues the block under construction, which is not empty. If the maximum of blocks is in flight, first takes the
    /// oldest one back.
    func submitBlock(_ helpers: CompressionHelpers, separator: Bytes, continues: Bool) throws(StorageError) {
        if inFlight.count >= helpers.blocksMax { try collectBlock(helpers) }
        let task = spareTasks.popLast() ?? BlockTask()
        task.raw.removeAll()
        collector.builder.encode(to: &task.raw)
        task.method = options.codec
        task.form = options.form(of: EncodedKey.namespace(of: separator))
        task.statistics = collector.builder.statistics
        task.continues = continues
        task.separator.removeAll()
        task.separator.append(separator)
        inFlight.append(task)
        helpers.queue.add(task)
    }

    /// Waits for the oldest block and appends it to the file.
    private func collectBlock(_ helpers: CompressionHelpers) throws(StorageError) {
        let task = inFlight.removeFirst()
        helpers.queue.finish(task, encoder)
        if let failure = task.failure { throw unencodable(failure) }
        let offset = output.offset
        output.buffer.append(task.stored.bytes)
        try place(
            task.block, bytes: task.stored.count, rawLength: task.raw.count, offset, task.statistics,
            separator: task.separator.bytes, continues: task.continues)
        spareTasks.append(task)
    }

    /// Takes all blocks back and appends them to the file.
    func collectBlocks() throws(StorageError) {
        guard let helpers = options.helpers else { return }
        while !inFlight.isEmpty { try collectBlock(helpers) }
    }
}
