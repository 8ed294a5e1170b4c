import ShalePlatform

/// The ordered keys of a model run: few enough that versions collide, with shapes that are error-prone. A key is
/// identified by its rank.
struct KeyUniverse {
    let keys: [[UInt8]]

    /// Makes `numbered` plain keys and, if `awkward`, the error-prone ones.
    init(numbered: Int, awkward: Bool = true) {
        var all = (0..<numbered).map { Array("key\(String($0 * 7919 % 1_000_000))".utf8) }
        if awkward { all += KeyUniverse.awkward }
        all.sort { $0.lexicographicallyPrecedes($1) }
        var unique: [[UInt8]] = []
        for key in all where unique.last != key { unique.append(key) }
        keys = unique
    }

    /// The empty key, prefixes of each other, zeros at the edge of the eight bytes of a head, the largest bytes, long
    /// keys.
    private static var awkward: [[UInt8]] {
        var all: [[UInt8]] = [
            [], [0], [0, 0], [0, 1], [0xff], [0xff, 0xff], [0xff, 0xff, 0xff, 0xff, 0xff], [0x7f], [0x80],
        ]
        var words: [[UInt8]] = [[]]
        for _ in 0..<4 {
            words = words.flatMap { [$0 + [0x61], $0 + [0x62]] }
            all += words
        }
        for length in 6...10 {
            let stem = Array("abcdefghij".utf8.prefix(length))
            all += [stem, stem + [0], stem + [0, 0], stem + [0xff], stem + [0, 1]]
        }
        let long = [UInt8](repeating: 0x6c, count: 300)
        all += (0..<12).map { long + Array("\($0)".utf8) }
        all += [
            [UInt8](repeating: 0x6d, count: 16_384), [UInt8](repeating: 0x6d, count: 16_383),
            [UInt8](repeating: 0xff, count: 1000),
        ]
        return all
    }

    var count: Int { keys.count }

    /// Returns the first rank whose key is ≥ `key`; `count` if there is none.
    func rank(atOrAfter key: [UInt8]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if ByteComparison.precedes(keys[middle], key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns the first rank whose key is > `key`.
    func rank(after key: [UInt8]) -> Int {
        let rank = rank(atOrAfter: key)
        return rank < keys.count && keys[rank] == key ? rank + 1 : rank
    }
}

/// The source of the values of a model run: ranges of one array, so that the oracle keeps two numbers per value.
struct ValuePool {
    static let largest = 20_000

    let bytes: [UInt8]

    /// A range in the pool.
    struct Extent: Equatable {
        var start: Int32 = 0
        var count: Int32 = 0

        var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
    }

    /// Fills the pool; every other kilobyte is compressible.
    init(_ random: SeededRandom) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 << 10)
        while bytes.count < 64 << 10 {
            if bytes.count & 1024 == 0 {
                bytes += random.bytes(8)
            } else {
                bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: 8)
            }
        }
        self.bytes = bytes
    }

    func isEqual(_ value: RawSpan, _ extent: Extent) -> Bool {
        let bytes = bytes
        return unsafe ByteComparison.areEqual(value, bytes.span.bytes.extracting(extent.range))
    }

    /// Draws a range: mostly short values, some empty, a few longer than a block.
    func extent(_ random: SeededRandom) -> Extent {
        let limit =
            switch random.below(100) {
            case 0..<3: 1
            case 3..<70: 100
            case 70..<97: 900
            default: ValuePool.largest + 1
            }
        let count = random.below(limit)
        return Extent(start: Int32(random.below(bytes.count - count)), count: Int32(count))
    }
}
