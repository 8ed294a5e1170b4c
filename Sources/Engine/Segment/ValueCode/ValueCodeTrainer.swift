package import ShaleBase

/// Makes a ``ValueCode`` from samples of values. Not thread-safe.
package struct ValueCodeTrainer: ~Copyable {
    private let dictionary: OwnedBytes
    private var matcher: ValueMatcher
    private var counts = ItemCounts()

    /// Begins with a dictionary of at most 65 535 bytes: text that occurs in many values, the most frequent text last.
    package init(dictionary: Bytes) {
        self.dictionary = OwnedBytes(copying: dictionary)
        matcher = ValueMatcher(dictionary)
    }

    /// Adds a sample of at most 65 535 bytes.
    package mutating func add(_ value: Bytes) { matcher.parse(value, &counts) }

    /// Returns the code that stores the samples in the fewest bits, and that can store every other value.
    package consuming func finish() -> ValueCode {
        ValueCode(
            dictionary: dictionary.bytes,
            items: PrefixCode(counts: counts.items, limit: ValueCodeFormat.itemBitsMax),
            distances: PrefixCode(counts: counts.distances, limit: ValueCodeFormat.distanceBitsMax))
    }
}

/// The number of occurrences of each symbol.
private struct ItemCounts: ValueSink {
    var items: [UInt32]
    var distances: [UInt32]

    /// Begins with one occurrence of every symbol that another value may need. Literals may be escaped, so only those
    /// of the samples get a code.
    init() {
        items = Array(repeating: 0, count: ValueCodeFormat.itemCount)
        for item in ValueCodeFormat.firstLength..<ValueCodeFormat.itemCount { items[item] = 1 }
        distances = Array(repeating: 1, count: ValueCodeFormat.distanceCount)
    }

    mutating func literal(_ byte: UInt8) { items[Int(byte)] &+= 1 }

    mutating func match(length: Int, distance: Int) {
        items[ValueCodeFormat.firstLength + ValueCodeFormat.lengthSymbol(length)] &+= 1
        distances[ValueCodeFormat.distanceSymbol(distance)] &+= 1
    }
}
