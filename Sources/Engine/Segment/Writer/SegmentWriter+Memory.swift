import ShaleBase

extension SegmentWriter {
    /// About the memory that the writer holds: buffers, the hashes of its keys, its index.
    package var memoryBytes: Int {
        // Growing buffers have been half their size; an index row takes about three times its stored length.
        let collected = 2 * 8 * collector.filter.keyCount + 3 * index.rawBytes
        let tasks = (underWay.count + spareTasks.count) * 3 * options.blockBytes
        return output.buffer.capacity + raw.capacity + sourceReader.capacity + collected + tasks
            + SegmentWriter.fixedMemoryBytes
    }

    /// A compression context and the columns of one block.
    private static var fixedMemoryBytes: Int { 1 << 20 }
}
