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

    /// The dictionary, and the memory of the tables below. Arrays would check each index, which doubles the time.
    private let dictionary: OwnedBytes
    private let memory: OwnedBytes
    /// The last position in the dictionary of each hash u16, and of each position the one before with the same hash.
    private let heads: MutableBytes
    private let older: MutableBytes
    /// The same for the value. A head is position u16 | age u16, and counts only if it has the current value's age.
    private let valueHeads: MutableBytes
    private let valueOlder: MutableBytes
    private var age: UInt16 = 0
    private let costs: MatchCosts

    private struct Match {
        var length = 0
        var distance = 0
        var gain = 0
    }

    init(_ dictionary: Bytes, _ costs: MatchCosts) {
        self.costs = costs
        self.dictionary = OwnedBytes(copying: dictionary)
        let sizes = [
            2 << ValueMatcher.dictionaryHashBits, 2 * dictionary.count, 4 << ValueMatcher.valueHashBits,
            2 * ValueCodeFormat.valueBytesMax,
        ]
        memory = OwnedBytes(count: sizes.reduce(0, +))
        var parts: [MutableBytes] = []
        var offset = 0
        for size in sizes {
            parts.append(memory.mutable.slice(offset, size))
            offset += size
        }
        (heads, older, valueHeads, valueOlder) = (parts[0], parts[1], parts[2], parts[3])
        valueHeads.zero(0, valueHeads.count)
        for hash in 0..<1 << ValueMatcher.dictionaryHashBits { heads.store(ValueMatcher.none, at: 2 * hash) }
        for position in 0..<max(0, dictionary.count - 3) {
            let hash = ValueMatcher.hash(dictionary.u32(at: position), ValueMatcher.dictionaryHashBits)
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
            if match.length > 0 {
                let next = bestMatch(value, at: position &+ 1)
                guard next.length > match.length &+ 1 else {
                    sink.match(length: match.length, distance: match.distance)
                    for skipped in (position &+ 2)..<(position &+ match.length) { remember(value, skipped) }
                    position &+= match.length
                    match = bestMatch(value, at: position)
                    continue
                }
                match = next
            } else {
                match = bestMatch(value, at: position &+ 1)
            }
            sink.literal(value[position])
            position &+= 1
        }
    }

    /// Forgets the value before.
    private mutating func begin() {
        if age == .max {
            valueHeads.zero(0, valueHeads.count)
            age = 0
        }
        age += 1
    }

    @inline(__always)
    private static func hash(_ word: UInt32, _ bits: Int) -> Int {
        Int((word &* 2_654_435_761) &>> UInt32(truncatingIfNeeded: 32 &- bits))
    }

    @inline(__always)
    private func remember(_ value: Bytes, _ position: Int) {
        guard value.count &- position >= ValueMatcher.lengthMin else { return }
        _ = replaceHead(value.u32(at: position), position)
    }

    /// Makes a position of the value the last one with the hash of its `word`, and returns the one before.
    @inline(__always)
    private func replaceHead(_ word: UInt32, _ position: Int) -> UInt16 {
        let place = 4 &* ValueMatcher.hash(word, ValueMatcher.valueHashBits)
        let head = valueHeads.bytes.u32(at: place)
        let before = head &>> 16 == UInt32(age) ? UInt16(truncatingIfNeeded: head) : ValueMatcher.none
        valueOlder.store(before, at: 2 &* position)
        valueHeads.store(UInt32(age) &<< 16 | UInt32(truncatingIfNeeded: position), at: place)
        return before
    }

    /// Remembers a position, and returns the match that saves most bits by estimate; its length is 0 if none saves any.
    @inline(__always)
    private func bestMatch(_ value: Bytes, at position: Int) -> Match {
        guard value.count &- position >= ValueMatcher.lengthMin else { return Match() }
        let word = value.u32(at: position)
        let own = replaceHead(word, position)
        let others =
            dictionary.count == 0
            ? ValueMatcher.none : heads.bytes.u16(at: 2 &* ValueMatcher.hash(word, ValueMatcher.dictionaryHashBits))
        guard own & others != ValueMatcher.none else { return Match() }
        return bestMatch(value, at: position, own, others)
    }

    /// Compares the candidates from the last ones on: `own` in the value, then `others` in the dictionary.
    @inline(never)
    private func bestMatch(_ value: Bytes, at position: Int, _ own: UInt16, _ others: UInt16) -> Match {
        var best = Match()
        let longest = min(value.count &- position, ValueCodeFormat.lengthMax)
        var candidate = own
        var left = ValueMatcher.depth
        while candidate != ValueMatcher.none, left > 0 {
            let start = Int(candidate)
            consider(value, start, value, position, longest, position &- start, &best)
            candidate = valueOlder.bytes.u16(at: 2 &* start)
            left &-= 1
        }
        let text = dictionary.bytes
        candidate = others
        left = ValueMatcher.depth
        while candidate != ValueMatcher.none, left > 0 {
            let start = Int(candidate)
            let limit = min(longest, text.count &- start)
            consider(text, start, value, position, limit, text.count &- start &+ position, &best)
            candidate = older.bytes.u16(at: 2 &* start)
            left &-= 1
        }
        return best
    }

    /// Compares a candidate with the best one.
    ///
    /// Each candidate is farther away than the one before, so it saves more only if it is longer. The last four bytes
    /// of the shortest such match exclude most candidates.
    @inline(__always)
    private func consider(
        _ text: Bytes, _ start: Int, _ value: Bytes, _ position: Int, _ limit: Int, _ distance: Int,
        _ best: inout Match
    ) {
        let last = max(best.length &+ 1, ValueMatcher.lengthMin) &- 4
        guard last &+ 4 <= limit, text.u32(at: start &+ last) == value.u32(at: position &+ last) else { return }
        let length = ValueMatcher.sharedCount(text, start, value, position, limit)
        let gain = costs.gain(length, distance)
        guard length >= ValueMatcher.lengthMin, gain > best.gain else { return }
        best = Match(length: length, distance: distance, gain: gain)
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

/// The estimated costs of a value's parts, in bits.
struct MatchCosts {
    /// Those of prefix codes.
    static let prefixCodes = MatchCosts(literal: 6, match: 6, distanceMask: .max, distanceMax: .max)
    /// Those of the plain form: packed literals, and steps of a token and a distance.
    static let plain = MatchCosts(literal: 7, match: 24, distanceMask: 0, distanceMax: PlainForm.distanceMax)

    fileprivate let literal: Int
    /// The bits of a match, besides those of its distance under this mask.
    fileprivate let match: Int
    fileprivate let distanceMask: Int
    fileprivate let distanceMax: Int

    /// Returns the bits that a match saves of its literals.
    @inline(__always)
    func gain(_ length: Int, _ distance: Int) -> Int {
        let distanceBits = (63 &- distance.leadingZeroBitCount) & distanceMask
        return distance > distanceMax ? 0 : length &* literal &- distanceBits &- match
    }
}
