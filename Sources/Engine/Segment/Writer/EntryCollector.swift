import ShaleBase

/// A segment writer's per-entry state: the block under construction, the hashes for the filter, and the key with which
/// the next one is compared. It is one value, so that adding an entry takes two accesses to the writer's state.
struct EntryCollector: ~Copyable {
    var builder = DataBlockBuilder()
    var filter: SplitBlockFilterBuilder
    /// False if the segment gets no filter, or adopts another segment's.
    var hashesKeys: Bool
    private let blockBytes: Int
    /// The last key of the last finished block, or the separator of a copied one.
    private var finishedKey = ByteBuffer()
    private var lastTrailer = Trailer(rawValue: 0)

    init(filterBitsPerKey: Int, blockBytes: Int) {
        filter = SplitBlockFilterBuilder(bitsPerKey: filterBitsPerKey)
        hashesKeys = filter.bitsPerKey > 0
        self.blockBytes = blockBytes
    }

    var lastFinishedKey: Bytes { finishedKey.bytes }

    /// Adds an entry to the block under construction. Returns false, without any change, if a new block must begin
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

    /// Returns true if a new block begins before `key`, which differs from the last key.
    @inline(__always)
    private func isCut(_ key: Bytes, _ value: Bytes) -> Bool {
        builder.rawBytes &+ key.count &+ value.count > blockBytes
            || EncodedKey.namespace(of: key) != EncodedKey.namespace(of: builder.lastKey)
    }

    /// Clears the block under construction, which has been encoded.
    mutating func finishBlock() {
        noteStoredBlock(separator: builder.lastKey)
        builder.removeAll()
    }

    /// Records that later entries have keys above this one, or are further versions of it.
    mutating func noteStoredBlock(separator: Bytes) {
        finishedKey.removeAll()
        finishedKey.append(separator)
    }
}
