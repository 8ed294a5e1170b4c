import ShaleBase

/// What a segment writer keeps per entry: the block under construction, the hashes for the filter, and the key that the
/// next one is compared with. One value, so that adding an entry is two accesses to the writer's state.
struct EntryCollector: ~Copyable {
    var builder = DataBlockBuilder()
    var filter: SplitBlockFilterBuilder
    /// False when there will be no filter, or another segment's.
    var hashesKeys: Bool
    private let blockBytes: Int
    /// The last key of the last finished block, or the separator of a stored one.
    private var finishedKey = ByteBuffer()
    private var lastTrailer = Trailer(rawValue: 0)

    init(filterBitsPerKey: Int, blockBytes: Int) {
        filter = SplitBlockFilterBuilder(bitsPerKey: filterBitsPerKey)
        hashesKeys = filter.bitsPerKey > 0
        self.blockBytes = blockBytes
    }

    var lastFinishedKey: Bytes { finishedKey.bytes }

    /// Whether `key` is another version of the last key, and whether a new block begins before it.
    @inline(__always)
    func relation(of key: Bytes, valueCount: Int) -> (isVersion: Bool, isCut: Bool) {
        if builder.isEmpty {
            assert(finishedKey.count == 0 || finishedKey.bytes <= key, "keys out of order")
            return (finishedKey.bytes == key, false)
        }
        let lastKey = builder.lastKey
        assert(lastKey <= key, "keys out of order")
        if lastKey == key { return (true, builder.rawBytes > SegmentFormat.versionsBytesMax) }
        let isFull = builder.rawBytes &+ key.count &+ valueCount > blockBytes
        return (false, isFull || EncodedKey.namespace(of: key) != EncodedKey.namespace(of: lastKey))
    }

    @inline(__always)
    mutating func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes, isVersion: Bool) {
        assert(!isVersion || lastTrailer.rawValue > trailer.rawValue, "versions out of order")
        lastTrailer = trailer
        if hashesKeys, !isVersion { filter.add(XXH3.hash(key)) }
        builder.add(key, trailer, expiry, value, isVersion: isVersion && !builder.isEmpty)
    }

    /// The block under construction has been encoded: the next entry begins another.
    mutating func finishBlock() {
        noteStoredBlock(separator: builder.lastKey)
        builder.removeAll()
    }

    /// What follows is above, or another version of, this key.
    mutating func noteStoredBlock(separator: Bytes) {
        finishedKey.removeAll()
        finishedKey.append(separator)
    }
}
