package import ShaleBase

/// Makes the value code of a namespace from sampled blocks, and measures how much it saves of other blocks.
///
/// Not thread-safe.
package struct SliceCodeTrainer: ~Copyable {
    /// The largest dictionary, and the largest share of the samples that becomes one.
    private static let dictionaryBytesMax = 32 << 10
    private static let dictionaryShare = 2
    /// The share that a code must save, in thousandths: an eighth, as with every compression.
    private static let savedShareMin: UInt32 = 125
    /// A dictionary takes memory of every open segment, and doubles the time of encoding, so it must save at least a
    /// twentieth more than none.
    private static let dictionaryGain = 20
    /// The size of a block.
    private static let blockBytes = 16 << 10

    private var samples = Values()
    private var tests = Values()

    package init() {}

    package var memoryBytes: Int { samples.capacity + tests.capacity }

    /// True if there are no samples or no test values.
    package var isEmpty: Bool { samples.isEmpty || tests.isEmpty }

    /// Reads a block past the cache and adds its values to the samples or, if `asTest`, to the test values.
    package mutating func add(_ block: Int, of segment: Segment, asTest: Bool) throws(StorageError) {
        let data = try segment.readBlock(block, segment.index().place(block), fillCache: false)
        defer { data.release() }
        for index in 0..<data.count {
            if asTest { tests.append(data.value(index)) } else { samples.append(data.value(index)) }
        }
    }

    /// Returns the best code for a preference; `nil` if it saves less than an eighth of the test values, or takes more
    /// than `bytesMax`.
    ///
    /// Takes about 30 ms for 400 KiB of samples.
    ///
    /// - Parameter triesDictionary: False for a code without a dictionary.
    package func train(
        _ preference: ValuePreference = .small, triesDictionary: Bool = true, bytesMax: Int = .max
    ) -> SliceCode? {
        var best = candidate(isPlain: true, triesDictionary)
        if preference != .fast {
            let coded = candidate(isPlain: false, triesDictionary)
            if best.bytes > preference.plainBytesMax(coded.bytes) { best = coded }
        }
        guard savesEnough(best.bytes), best.bytes <= bytesMax else { return nil }
        return SliceCode(best.code, savedShare: savedShare(best.bytes))
    }

    /// Returns true if the test values shrink by an eighth if they take `bytes`.
    package func savesEnough(_ bytes: Int) -> Bool { savedShare(bytes) >= SliceCodeTrainer.savedShareMin }

    /// Returns the size of the test values in blocks that are compressed as a whole, without a dictionary.
    package func blockBytes(_ codec: BlockCodec) -> Int {
        let compressor = Compressor(codec)
        var output = ByteBuffer()
        let content = tests.allBytes
        for start in stride(from: 0, to: content.count, by: SliceCodeTrainer.blockBytes) {
            let piece = content.slice(start, min(SliceCodeTrainer.blockBytes, content.count - start))
            _ = compressor.append(piece, to: &output)
        }
        return output.count
    }

    /// A code, and the size of the test values under it.
    private typealias Candidate = (code: ValueCode, bytes: Int)

    /// Returns the better of two codes: with a dictionary, if it saves enough, and without.
    private func candidate(isPlain: Bool, _ triesDictionary: Bool) -> Candidate {
        let bare = code(isPlain: isPlain, dictionaryCount: 0)
        let bareBytes = storedBytes(bare)
        guard triesDictionary else { return (bare, bareBytes) }
        let textBytes = samples.byteCount / SliceCodeTrainer.dictionaryShare
        let dictionaryCount = samples.count(ofBytes: min(SliceCodeTrainer.dictionaryBytesMax, textBytes))
        let rich = code(isPlain: isPlain, dictionaryCount: dictionaryCount)
        let richBytes = storedBytes(rich)
        let usesDictionary = richBytes < bareBytes - bareBytes / SliceCodeTrainer.dictionaryGain
        return usesDictionary ? (rich, richBytes) : (bare, bareBytes)
    }

    /// Returns the share that an existing code saves of the test values, in thousandths.
    package func savedShare(_ code: ValueCode) -> UInt32 { savedShare(storedBytes(code)) }

    private func savedShare(_ storedBytes: Int) -> UInt32 {
        let total = tests.byteCount
        return storedBytes < total ? UInt32((total - storedBytes) * 1000 / total) : 0
    }

    /// Returns a code whose dictionary is the first `dictionaryCount` samples.
    ///
    /// The other samples determine the prefix codes: those in the dictionary would match it as no later value does.
    private func code(isPlain: Bool, dictionaryCount: Int) -> ValueCode {
        let dictionary = samples.bytes(0..<dictionaryCount)
        if isPlain { return ValueCode(plain: dictionary) }
        var trainer = ValueCodeTrainer(dictionary: dictionary)
        for index in dictionaryCount..<samples.count { trainer.add(samples.bytes(index..<index + 1)) }
        return trainer.finish()
    }

    /// Returns the size of the test values under a code, with a byte for each stored length.
    private func storedBytes(_ code: ValueCode) -> Int {
        var encoder = ValueEncoder(code)
        var output = ByteBuffer()
        var total = 0
        for index in 0..<tests.count {
            let value = tests.bytes(index..<index + 1)
            output.removeAll()
            encoder.append(value, to: &output)
            total += min(output.count, value.count) + 1
        }
        return total
    }
}

/// Values one after the other, without empty ones and those that no code stores.
private struct Values: ~Copyable {
    private var content = ByteBuffer()
    private var ends: [Int] = [0]

    var count: Int { ends.count - 1 }
    var isEmpty: Bool { count == 0 }
    var byteCount: Int { content.count }
    var allBytes: Bytes { content.bytes }
    var capacity: Int { content.capacity + 8 * ends.capacity }

    mutating func append(_ value: Bytes) {
        guard !value.isEmpty, value.count <= ValueCodeFormat.valueBytesMax else { return }
        content.append(value)
        ends.append(content.count)
    }

    /// Returns adjacent values.
    func bytes(_ values: Range<Int>) -> Bytes {
        content.bytes.slice(ends[values.lowerBound], ends[values.upperBound] - ends[values.lowerBound])
    }

    /// Returns how many of the first values together have at most `bytes`.
    func count(ofBytes bytes: Int) -> Int { (ends.firstIndex { $0 > bytes } ?? ends.count) - 1 }
}
