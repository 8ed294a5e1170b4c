import ShaleBase

/// A buffer for the whole keys of one run, rebuilt from a block's shared prefix and its suffixes. Slots keep the prefix
/// across runs of the same block, so that usually only the suffix is copied.
@safe
struct KeyScratch: ~Copyable {
    private var memory = ByteBuffer(capacity: 2048)
    private var stride = 0
    /// The number of slots that hold the current block's prefix.
    private var preparedCount = 0

    /// Switches to another block; no slot holds its prefix yet.
    mutating func restart(_ block: DataBlock) {
        stride = (block.prefixCount + block.suffixCountMax + DataBlock.slackBytes + 15) & ~15
        preparedCount = 0
        memory.removeAll()
        memory.reserve(stride * EntryCursor.runCapacity)
    }

    /// Fills `run` with `count` entries of `block` from index `first` on, in steps of `step` (1 or −1). The entries
    /// point into the block and into this buffer.
    mutating func fill(
        _ run: UnsafeMutablePointer<Entry>, _ block: DataBlock, first: Int, count: Int, step: Int, headOffset: Int
    ) {
        let prefix = block.prefix
        while preparedCount < count {
            unsafe KeyScratch.copy(prefix, to: memory.start + preparedCount &* stride)
            preparedCount &+= 1
        }
        let columns = block.columns
        let usesColumn = headOffset == prefix.count
        var index = first
        var slot = unsafe memory.start
        for i in 0..<count {
            let suffix = columns.suffix(index)
            unsafe KeyScratch.copy(suffix, to: slot + prefix.count)
            let key = unsafe Bytes(start: UnsafeRawPointer(slot), count: prefix.count &+ suffix.count)
            let head = usesColumn ? columns.head(index) : KeyScratch.head(key, headOffset)
            unsafe (run + i).initialize(
                to: Entry(
                    head: head, key: key, trailer: columns.trailer(index), expiry: columns.expiry(index),
                    value: columns.value(index)))
            unsafe slot += stride
            index &+= step
        }
    }

    /// Copies a piece of a key. Short pieces, the usual case, are copied as two words: both sides have slack after
    /// them.
    @inline(__always)
    static func copy(_ piece: Bytes, to target: UnsafeMutableRawPointer) {
        if piece.count > DataBlock.slackBytes {
            unsafe MutableBytes(start: target, count: piece.count).copy(piece, at: 0)
            return
        }
        let words = unsafe piece.start.loadUnaligned(as: SIMD2<UInt64>.self)
        unsafe target.storeBytes(of: words, as: SIMD2<UInt64>.self)
    }

    /// Returns the head of a key at an offset. The key has slack after it.
    @inline(__always)
    static func head(_ key: Bytes, _ offset: Int) -> UInt64 {
        let rest = key.count &- offset
        guard rest > 0 else { return 0 }
        // The slot has slack after the key, whose bytes are cut off.
        let word = unsafe key.start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return KeyHeads.cut(UInt64(bigEndian: word), to: rest)
    }
}
