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

    /// Takes an entry into the block under construction; false, and nothing has happened, when a new block must begin
    /// before it.
    @inline(__always)
    mutating func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) -> Bool {
        let isFirst = builder.isEmpty
        let previous = isFirst ? finishedKey.bytes : builder.lastKey
        assert(previous.isEmpty || previous <= key, "keys out of order")
        let isVersion = previous == key
        assert(!isVersion || lastTrailer.rawValue > trailer.rawValue, "versions out of order")
        if !isFirst, isVersion ? builder.rawBytes > SegmentFormat.versionsBytesMax : isCut(key, value) { return false }
        lastTrailer = trailer
        if hashesKeys, !isVersion { filter.add(XXH3.hash(key)) }
        builder.add(key, trailer, expiry, value, isVersion: isVersion && !isFirst)
        return true
    }

    /// Whether a new block begins before `key`, another key than the last one.
    @inline(__always)
    private func isCut(_ key: Bytes, _ value: Bytes) -> Bool {
        builder.rawBytes &+ key.count &+ value.count > blockBytes
            || EncodedKey.namespace(of: key) != EncodedKey.namespace(of: builder.lastKey)
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
