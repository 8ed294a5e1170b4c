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

    /// Returns the best code; `nil` if it saves less than an eighth of the test values.
    ///
    /// Takes about 30 ms for 400 KiB of samples.
    ///
    /// - Parameter triesDictionary: False for a code without a dictionary.
    package func train(triesDictionary: Bool = true) -> SliceCode? {
        let plain = code(dictionaryCount: 0)
        let plainBytes = storedBytes(plain)
        guard triesDictionary else { return sliceCode(plain, plainBytes) }
        let textBytes = samples.byteCount / SliceCodeTrainer.dictionaryShare
        let rich = code(
            dictionaryCount: samples.count(ofBytes: min(SliceCodeTrainer.dictionaryBytesMax, textBytes)))
        let richBytes = storedBytes(rich)
        let usesDictionary = richBytes < plainBytes - plainBytes / SliceCodeTrainer.dictionaryGain
        return usesDictionary ? sliceCode(rich, richBytes) : sliceCode(plain, plainBytes)
    }

    /// Returns the code, if it saves enough of the test values.
    private func sliceCode(_ code: ValueCode, _ storedBytes: Int) -> SliceCode? {
        let share = savedShare(storedBytes)
        return share >= SliceCodeTrainer.savedShareMin ? SliceCode(code, savedShare: share) : nil
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
    private func code(dictionaryCount: Int) -> ValueCode {
        var trainer = ValueCodeTrainer(dictionary: samples.bytes(0..<dictionaryCount))
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
