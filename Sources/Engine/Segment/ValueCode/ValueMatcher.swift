import ShaleBase

/// The parts of a value, in order.
protocol ValueSink {
    mutating func literal(_ byte: UInt8)
    mutating func match(length: Int, distance: Int)
}

/// Divides values into literals and matches with a dictionary or with their own earlier bytes.
///
/// The parse depends on nothing but dictionary and value. Reuses its memory; not thread-safe.
@safe
struct ValueMatcher: ~Copyable {
    private static let none = UInt16.max
    private static let dictionaryHashBits = 15
    private static let valueHashBits = 10
    /// The candidates of dictionary and value that are compared for each position.
    private static let depth = 8
    private static let lengthMin = 4
    /// The estimated bits of a literal, and of a match besides the bits of its distance.
    private static let literalBits = 6
    private static let matchBits = 6

    /// The dictionary, and the memory of the tables below. Arrays would check each index, which doubles the time.
    private let dictionary: OwnedBytes
    private let memory: OwnedBytes
    /// The last position in the dictionary of each hash u16, and of each position the one before with the same hash.
    private let heads: MutableBytes
    private let older: MutableBytes
    /// The same for the value. A head counts only if `ages` holds the current value's age, u32.
    private let valueHeads: MutableBytes
    private let valueOlder: MutableBytes
    private let ages: MutableBytes
    private var age: UInt32 = 0

    private struct Match {
        var length = 0
        var distance = 0
        var gain = 0
    }

    init(_ dictionary: Bytes) {
        self.dictionary = OwnedBytes(copying: dictionary)
        let sizes = [
            2 << ValueMatcher.dictionaryHashBits, 2 * dictionary.count, 2 << ValueMatcher.valueHashBits,
            2 * ValueCodeFormat.valueBytesMax, 4 << ValueMatcher.valueHashBits,
        ]
        memory = OwnedBytes(count: sizes.reduce(0, +))
        var parts: [MutableBytes] = []
        var offset = 0
        for size in sizes {
            parts.append(memory.mutable.slice(offset, size))
            offset += size
        }
        (heads, older, valueHeads, valueOlder, ages) = (parts[0], parts[1], parts[2], parts[3], parts[4])
        ages.zero(0, ages.count)
        for hash in 0..<1 << ValueMatcher.dictionaryHashBits { heads.store(ValueMatcher.none, at: 2 * hash) }
        for position in 0..<max(0, dictionary.count - 3) {
            let hash = ValueMatcher.hash(dictionary, position, ValueMatcher.dictionaryHashBits)
            older.store(heads.bytes.u16(at: 2 * hash), at: 2 * position)
            heads.store(UInt16(position), at: 2 * hash)
        }
    }

    /// Passes the parts of `value` to `sink`. A match is taken unless one that begins with the next byte is longer by
    /// two.
    mutating func parse(_ value: Bytes, _ sink: inout some ValueSink) {
        precondition(value.count <= ValueCodeFormat.valueBytesMax)
        begin()
        var position = 0
        var match = bestMatch(value, at: 0)
        while position < value.count {
            remember(value, position)
            if match.length > 0 {
                let next = bestMatch(value, at: position + 1)
                guard next.length > match.length + 1 else {
                    sink.match(length: match.length, distance: match.distance)
                    for skipped in (position + 1)..<(position + match.length) { remember(value, skipped) }
                    position += match.length
                    match = bestMatch(value, at: position)
                    continue
                }
                match = next
            } else {
                match = bestMatch(value, at: position + 1)
            }
            sink.literal(value[position])
            position += 1
        }
    }

    /// Forgets the value before.
    private mutating func begin() {
        if age == .max {
            ages.zero(0, ages.count)
            age = 0
        }
        age += 1
    }

    @inline(__always)
    private static func hash(_ bytes: Bytes, _ position: Int, _ bits: Int) -> Int {
        Int((bytes.u32(at: position) &* 2_654_435_761) &>> UInt32(32 - bits))
    }

    /// Returns the value's last position with a hash.
    @inline(__always)
    private func valueHead(_ hash: Int) -> UInt16 {
        ages.bytes.u32(at: 4 &* hash) == age ? valueHeads.bytes.u16(at: 2 &* hash) : ValueMatcher.none
    }

    private func remember(_ value: Bytes, _ position: Int) {
        guard value.count - position >= ValueMatcher.lengthMin else { return }
        let hash = ValueMatcher.hash(value, position, ValueMatcher.valueHashBits)
        valueOlder.store(valueHead(hash), at: 2 * position)
        valueHeads.store(UInt16(position), at: 2 * hash)
        ages.store(age, at: 4 * hash)
    }

    /// Returns the match that saves most bits by estimate; its length is 0 if none saves any.
    private func bestMatch(_ value: Bytes, at position: Int) -> Match {
        var best = Match()
        let longest = min(value.count - position, ValueCodeFormat.lengthMax)
        guard longest >= ValueMatcher.lengthMin else { return best }
        var candidate = valueHead(ValueMatcher.hash(value, position, ValueMatcher.valueHashBits))
        var left = ValueMatcher.depth
        while candidate != ValueMatcher.none, left > 0 {
            let start = Int(candidate)
            let length = ValueMatcher.sharedCount(value, start, value, position, longest)
            ValueMatcher.consider(length, position - start, &best)
            candidate = valueOlder.bytes.u16(at: 2 * start)
            left -= 1
        }
        let text = dictionary.bytes
        candidate = heads.bytes.u16(at: 2 * ValueMatcher.hash(value, position, ValueMatcher.dictionaryHashBits))
        left = ValueMatcher.depth
        while candidate != ValueMatcher.none, left > 0 {
            let start = Int(candidate)
            let length = ValueMatcher.sharedCount(text, start, value, position, min(longest, text.count - start))
            ValueMatcher.consider(length, text.count - start + position, &best)
            candidate = older.bytes.u16(at: 2 * start)
            left -= 1
        }
        return best
    }

    @inline(__always)
    private static func consider(_ length: Int, _ distance: Int, _ best: inout Match) {
        let distanceBits = 63 - distance.leadingZeroBitCount
        let gain = length * literalBits - distanceBits - matchBits
        if length >= lengthMin, gain > best.gain { best = Match(length: length, distance: distance, gain: gain) }
    }

    /// Returns the number of equal bytes from two positions on, at most `limit`.
    @inline(__always)
    private static func sharedCount(_ a: Bytes, _ aStart: Int, _ b: Bytes, _ bStart: Int, _ limit: Int) -> Int {
        var count = 0
        while count &+ 8 <= limit {
            let difference = a.u64(at: aStart &+ count) ^ b.u64(at: bStart &+ count)
            if difference != 0 { return count &+ difference.trailingZeroBitCount &>> 3 }
            count &+= 8
        }
        while count < limit, a[aStart &+ count] == b[bStart &+ count] { count &+= 1 }
        return count
    }
}
