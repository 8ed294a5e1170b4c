import ShaleBase

/// A data block between its builder and its position in the file, while it is compressed. One thread uses it at a time:
/// the writer's, the compressing thread, then the writer's again. Its memory is reused for the next block.
final class BlockTask: @unchecked Sendable {
    enum State { case waiting, taken, done }

    /// Guarded by the queue's lock.
    var state = State.waiting

    /// The raw block from the builder.
    var raw = ByteBuffer()
    var method = BlockCodec.none
    var dictionary: BlockDictionary?
    /// The block's index row, without its position.
    var statistics = BlockStatistics()
    var continues = false
    var separator = ByteBuffer()

    /// The compressed form of `raw`.
    private(set) var stored = ByteBuffer()
    private(set) var codec = StoredCodec.none

    func compress(_ compressor: Compressor) {
        stored.removeAll()
        codec = compressor.append(raw.bytes, dictionary, to: &stored)
    }
}
