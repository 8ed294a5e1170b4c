import ShaleBase

/// Compression of blocks by helper threads while the next blocks are built. The writer's thread calls all functions.
extension SegmentWriter {
    /// Queues the block under construction, which is not empty. If the maximum of blocks is in flight, first takes the
    /// oldest one back.
    func handOnBlock(_ helpers: CompressionHelpers, separator: Bytes, continues: Bool) throws(StorageError) {
        if underWay.count >= helpers.blocksMax { try takeBlockBack(helpers) }
        let task = spareTasks.popLast() ?? BlockTask()
        task.raw.removeAll()
        collector.builder.encode(to: &task.raw)
        task.method = options.codec
        task.dictionary = options.dictionaries[EncodedKey.namespace(of: separator)]
        task.statistics = collector.builder.statistics
        task.continues = continues
        task.separator.removeAll()
        task.separator.append(separator)
        underWay.append(task)
        helpers.queue.add(task)
    }

    /// Waits for the oldest block and appends it to the file.
    private func takeBlockBack(_ helpers: CompressionHelpers) throws(StorageError) {
        let task = underWay.removeFirst()
        helpers.queue.finish(task, compressor)
        let offset = output.offset
        output.buffer.append(task.stored.bytes)
        try place(
            storedLength: task.stored.count, rawLength: task.raw.count, offset, task.codec, task.statistics,
            separator: task.separator.bytes, continues: task.continues)
        spareTasks.append(task)
    }

    /// Takes all blocks back and appends them to the file.
    func takeBlocksBack() throws(StorageError) {
        guard let helpers = options.helpers else { return }
        while !underWay.isEmpty { try takeBlockBack(helpers) }
    }
}
