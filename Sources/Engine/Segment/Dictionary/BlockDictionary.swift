import CZstd
package import ShaleBase

/// A zstd dictionary for the blocks of one namespace: text that they have in common, and entropy tables for the rest.
///
/// Immutable.
package final class BlockDictionary: Sendable, Equatable {
    private let content: OwnedBytes
    /// A hash of the content, equal for equal content.
    package let identifier: UInt64
    /// The share that the dictionary saved of the test samples when it was trained, in thousandths of their stored size
    /// without it.
    package let savedShare: UInt32

    init(_ content: OwnedBytes, savedShare: UInt32) {
        self.content = content
        self.savedShare = savedShare
        identifier = XXH3.hash(content.bytes)
    }

    /// The dictionary in zstd's format, valid as long as this object lives.
    package var bytes: Bytes { content.bytes }

    package static func == (a: BlockDictionary, b: BlockDictionary) -> Bool { a.identifier == b.identifier }
}

/// Trains a dictionary from sampled blocks of a namespace, and measures how much a dictionary saves of other blocks.
///
/// Not thread-safe.
package struct DictionaryTrainer: ~Copyable {
    /// The memory of zstd's trainer, without the samples.
    package static let workBytes = 8 << 20
    /// Larger blocks hold few large values, for which a dictionary does not help.
    private static let blockBytesMax = 64 << 10
    /// The size of the sample that serves as a trial dictionary, to tell whether training is worthwhile.
    private static let trialBytes = 32 << 10

    private let compressor: Compressor
    private var output = ByteBuffer()
    private var samples = ByteBuffer()
    private var sampleLengths: [Int] = []
    private var tests = ByteBuffer()
    private var testLengths: [Int] = []

    /// Makes a trainer for `codec`, which is zstd at the level of the later writes.
    package init(_ codec: BlockCodec) { compressor = Compressor(codec) }

    package var memoryBytes: Int { samples.capacity + tests.capacity + output.capacity + DictionaryTrainer.workBytes }

    /// True if there are no samples or no test blocks.
    package var isEmpty: Bool { testLengths.isEmpty || sampleLengths.isEmpty }

    /// Reads a block past the cache and adds it to the samples or, if `asTest`, to the test blocks.
    package mutating func add(_ block: Int, of segment: Segment, asTest: Bool) throws(StorageError) {
        let place = try segment.index().place(block)
        let length = place.rawLength
        guard length <= DictionaryTrainer.blockBytesMax else { return }
        let data = try segment.readBlock(block, place, fillCache: false)
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

    /// Returns the stored size of the test blocks in bytes.
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

    /// Returns the share that a dictionary saves of the test blocks, in thousandths of `plainBytes`.
    package mutating func savedShare(_ dictionary: BlockDictionary, of plainBytes: Int) -> UInt32 {
        let stored = testBytes(dictionary)
        return stored < plainBytes ? UInt32((plainBytes - stored) * 1000 / plainBytes) : 0
    }

    /// Returns the share that the last samples save as a raw dictionary.
    ///
    /// This takes less than 1 ms and tells whether training is worthwhile.
    package mutating func trialShare(of plainBytes: Int) -> UInt32 {
        let count = min(samples.count, DictionaryTrainer.trialBytes)
        let tail = OwnedBytes(copying: samples.bytes.slice(samples.count - count, count))
        return savedShare(BlockDictionary(tail, savedShare: 0), of: plainBytes)
    }

    /// Trains a dictionary of at most `bytesMax`; `nil` if zstd finds nothing in the samples.
    ///
    /// Takes about 20 ms for 400 KiB of samples.
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
