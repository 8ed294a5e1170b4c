import ShaleBase

/// Blocks that are compressed by others while the next ones are built. All functions are the writer's thread's.
extension SegmentWriter {
    /// Hands the block under construction, which is not empty, on, and takes the oldest back once as many as may be are under
    /// way.
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

    /// Waits for the oldest block and gives it its place.
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

    /// Gives all blocks their places.
    func takeBlocksBack() throws(StorageError) {
        guard let helpers = options.helpers else { return }
        while !underWay.isEmpty { try takeBlockBack(helpers) }
    }
}
