import CZstd
package import ShaleBase

/// Makes a dictionary out of some blocks of a namespace, and measures what one saves of others. Not thread-safe.
package struct DictionaryTrainer: ~Copyable {
    /// What training takes beside the samples: tables of zstd's trainer.
    package static let workBytes = 8 << 20
    /// Blocks above this hold few large values, which need no help.
    private static let blockBytesMax = 64 << 10
    /// Part of the sample that stands in for a dictionary to see whether one is worth being trained.
    private static let trialBytes = 32 << 10

    private let compressor: Compressor
    private var output = ByteBuffer()
    private var samples = ByteBuffer()
    private var sampleLengths: [Int] = []
    private var tests = ByteBuffer()
    private var testLengths: [Int] = []

    /// `codec` is zstd's at the level that will be written with.
    package init(_ codec: BlockCodec) { compressor = Compressor(codec) }

    package var memoryBytes: Int { samples.capacity + tests.capacity + output.capacity + DictionaryTrainer.workBytes }

    /// Whether there is anything to judge by.
    package var isEmpty: Bool { testLengths.isEmpty || sampleLengths.isEmpty }

    /// Adds a block, read past the cache, to those that dictionaries are trained with or judged by.
    package mutating func add(_ block: Int, of segment: Segment, asTest: Bool) throws(StorageError) {
        let row = try segment.indexRow(block)
        let length = Int(row.handle.rawLength)
        guard length <= DictionaryTrainer.blockBytesMax else { return }
        let data = try segment.readBlock(block, row, fillCache: false)
        defer { data.release() }
        let raw = data.rawTarget(count: data.count, rawLength: length).bytes.slice(0, length)
        if asTest {
            tests.append(raw)
            testLengths.append(length)
        } else {
            samples.append(raw)
            sampleLengths.append(length)
        }
    }

    /// Stored bytes of the blocks to judge by.
    package mutating func testBytes(_ dictionary: BlockDictionary?) -> Int {
        var total = 0
        var offset = 0
        for length in testLengths {
            output.removeAll()
            _ = compressor.append(tests.bytes.slice(offset, length), dictionary, to: &output)
            total += output.count
            offset += length
        }
        return total
    }

    /// What a dictionary saves of them, in thousandths of `plainBytes`.
    package mutating func savedShare(_ dictionary: BlockDictionary, of plainBytes: Int) -> UInt32 {
        let stored = testBytes(dictionary)
        return stored < plainBytes ? UInt32((plainBytes - stored) * 1000 / plainBytes) : 0
    }

    /// What the last samples save as they are: a fraction of a millisecond tells whether training is worth its time.
    package mutating func trialShare(of plainBytes: Int) -> UInt32 {
        let count = min(samples.count, DictionaryTrainer.trialBytes)
        let tail = OwnedBytes(copying: samples.bytes.slice(samples.count - count, count))
        return savedShare(BlockDictionary(tail, savedShare: 0), of: plainBytes)
    }

    /// A dictionary of at most `bytesMax`; nil when zstd finds nothing in the samples. Some 20 ms for 400 KiB of them.
    package mutating func train(bytesMax: Int, of plainBytes: Int) -> BlockDictionary? {
        let room = OwnedBytes(count: min(bytesMax, SegmentFormat.dictionaryBytesMax))
        let length = unsafe sampleLengths.withUnsafeBufferPointer { (lengths) in
            unsafe ZDICT_trainFromBuffer(
                room.mutable.start, room.count, samples.bytes.start, lengths.baseAddress, UInt32(lengths.count))
        }
        guard ZDICT_isError(length) == 0 else { return nil }
        let content = OwnedBytes(copying: room.bytes.slice(0, length))
        let share = savedShare(BlockDictionary(content, savedShare: 0), of: plainBytes)
        return BlockDictionary(content, savedShare: share)
    }
}
