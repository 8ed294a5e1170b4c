import ShaleBase

extension SegmentWriter {
    /// An estimate of the writer's memory in bytes: buffers, the hashes of its keys, its index.
    package var memoryBytes: Int {
        // Buffers grow by doubling; an index row takes about three times its stored length.
        let collected = 2 * 8 * collector.filter.keyCount + 3 * index.rawBytes
        let tasks = (underWay.count + spareTasks.count) * 3 * options.blockBytes
        return output.buffer.capacity + raw.capacity + sourceReader.capacity + collected + tasks
            + SegmentWriter.fixedMemoryBytes
    }

    /// A compression context and the columns of one block.
    private static var fixedMemoryBytes: Int { 1 << 20 }
}
