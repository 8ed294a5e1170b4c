package import ShaleBase

/// Makes a ``ValueCode`` from samples of values. Not thread-safe.
package struct ValueCodeTrainer: ~Copyable {
    private let dictionary: OwnedBytes
    private var matcher: ValueMatcher
    private var counts = ItemCounts()

    /// Begins with a dictionary of at most 65 535 bytes: text that occurs in many values, the most frequent text last.
    package init(dictionary: Bytes) {
        self.dictionary = OwnedBytes(copying: dictionary)
        matcher = ValueMatcher(dictionary, .prefixCodes)
    }

    /// Adds a sample of at most 65 535 bytes.
    package mutating func add(_ value: Bytes) { matcher.parse(value, &counts) }

    /// Returns the code that stores the samples in the fewest bits, and that can store every other value.
    package consuming func finish() -> ValueCode {
        let pairs = counts.separatePairs()
        return ValueCode(
            dictionary: dictionary.bytes,
            items: PrefixCode(counts: counts.items, limit: ValueCodeFormat.itemBitsMax),
            distances: PrefixCode(counts: counts.distances, limit: ValueCodeFormat.distanceBitsMax), pairs: pairs)
    }
}

/// The number of occurrences of each symbol.
private struct ItemCounts: ValueSink {
    var items: [UInt32]
    var distances: [UInt32]
    private var matches: [ValuePair: Int] = [:]

    /// Begins with one occurrence of every symbol that another value may need. Literals may be escaped, so only those
    /// of the samples get a code.
    init() {
        items = Array(repeating: 0, count: ValueCodeFormat.itemCount)
        for item in ValueCodeFormat.firstLength..<ValueCodeFormat.itemCount { items[item] = 1 }
        distances = Array(repeating: 1, count: ValueCodeFormat.distanceCount)
    }

    mutating func literal(_ byte: UInt8) { items[Int(byte)] &+= 1 }

    mutating func match(length: Int, distance: Int) {
        count(ValuePair(length: length, distance: distance), 1)
        matches[ValuePair(length: length, distance: distance), default: 0] += 1
    }

    private mutating func count(_ match: ValuePair, _ change: Int) {
        let (length, distance) = (
            ValueCodeFormat.firstLength + ValueCodeFormat.lengthSymbol(match.length),
            ValueCodeFormat.distanceSymbol(match.distance)
        )
        items[length] = UInt32(clamping: Int(items[length]) + change)
        distances[distance] = UInt32(clamping: Int(distances[distance]) + change)
    }

    /// The smallest number of occurrences of a pair, and the largest number of items for each of them. A rarer pair
    /// would get a code that is hardly shorter than those of its length and its distance.
    private static let pairCountMin = 16
    private static let itemsPerPairMax = 512

    /// Chooses the matches that get an item of their own, and counts them as such.
    mutating func separatePairs() -> [ValuePair] {
        let least = max(
            ItemCounts.pairCountMin, items.reduce(0) { $0 + Int($1) } / ItemCounts.itemsPerPairMax)
        // The order of equal counts must not depend on the dictionary's, so that equal samples give equal codes.
        let frequent = matches.filter { $0.value >= least }
            .sorted { ($1.value, $0.key.length, $0.key.distance) < ($0.value, $1.key.length, $1.key.distance) }
        let chosen = frequent.prefix(ValueCodeFormat.pairsMax)
        for (pair, occurrences) in chosen {
            count(pair, -occurrences)
            items.append(UInt32(clamping: occurrences))
        }
        return chosen.map(\.key)
    }
}
