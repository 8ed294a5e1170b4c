import ShaleBase

/// A data block on its way from its builder to its place in the file, while it is being compressed. Used by one thread at a
/// time: the writer's, then whichever compresses it, then the writer's again. Memory is kept for the next block.
final class BlockTask: @unchecked Sendable {
    enum State { case waiting, taken, done }

    /// Under the queue's lock.
    var state = State.waiting

    /// As the builder lays it out.
    var raw = ByteBuffer()
    var method = BlockCodec.none
    var dictionary: BlockDictionary?
    /// The block's row of the index, but for its place.
    var statistics = BlockStatistics()
    var continues = false
    var separator = ByteBuffer()

    /// What becomes of `raw`.
    private(set) var stored = ByteBuffer()
    private(set) var codec = StoredCodec.none

    func compress(_ compressor: Compressor) {
        stored.removeAll()
        codec = compressor.append(raw.bytes, dictionary, to: &stored)
    }
}
