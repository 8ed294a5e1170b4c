import Posix

/// A key for one thread: a number as decimal digits with leading zeros, so that byte order is numeric order. Setting it
/// allocates nothing and takes a few nanoseconds.
@safe
struct KeyBuffer: ~Copyable {
    /// Owned; `byteCount` bytes, at least ``digits``.
    private let start: UnsafeMutableRawPointer
    let byteCount: Int

    /// The number of digits that vary. A longer key is padded with `0` on the left.
    static let digits = 16

    init(byteCount: Int) {
        precondition(byteCount >= KeyBuffer.digits)
        self.byteCount = byteCount
        unsafe start = .allocate(byteCount: byteCount, alignment: 8)
        unsafe start.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "0"), count: byteCount)
    }

    deinit { unsafe start.deallocate() }

    var span: RawSpan {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(RawSpan(_unsafeStart: start, byteCount: byteCount), borrowing: self)
        }
    }

    /// A copy, for interfaces that keep the key.
    var array: [UInt8] { unsafe span.withUnsafeBytes { unsafe [UInt8]($0) } }

    @inline(__always)
    mutating func set(_ index: Int) {
        let (high, low) = UInt64(truncatingIfNeeded: index).quotientAndRemainder(dividingBy: 100_000_000)
        unsafe start.storeBytes(of: eightDigits(high), toByteOffset: byteCount &- 16, as: UInt64.self)
        unsafe start.storeBytes(of: eightDigits(low), toByteOffset: byteCount &- 8, as: UInt64.self)
    }

    /// Sets a key that is never written and sorts between written ones: it shares all bytes but the last with one of
    /// them.
    @inline(__always)
    mutating func setMissing(_ index: Int) {
        set(index)
        unsafe start.storeBytes(of: UInt8(ascii: "."), toByteOffset: byteCount &- 1, as: UInt8.self)
    }

    @inline(__always)
    func equals(_ other: RawSpan) -> Bool {
        unsafe other.withUnsafeBytes { unsafe sameBytes($0, start) && $0.count == byteCount }
    }
}

/// Returns the digits of a number below 10⁸ as eight characters in memory order. Pairs, quads and octets are split in
/// parallel lanes of one word.
@inline(__always)
private func eightDigits(_ number: UInt64) -> UInt64 {
    let quads = (number / 10_000) | ((number % 10_000) &<< 32)
    let tens = ((quads &* 10_486) &>> 20) & 0x0000_007f_0000_007f
    let pairs = tens | ((quads &- tens &* 100) &<< 16)
    let ones = ((pairs &* 103) &>> 10) & 0x000f_000f_000f_000f
    let digits = ones | ((pairs &- ones &* 10) &<< 8)
    return (digits | 0x3030_3030_3030_3030).littleEndian
}

/// A shuffled order of 0 ..< count, computed instead of stored: every number occurs exactly once, for any count.
///
/// Three rounds of multiply and shift are a bijection of the next power of two. A number outside the range is mapped
/// again until it falls inside, which takes fewer than two rounds on average.
struct Permutation: Sendable {
    private let count: UInt64
    private let mask: UInt64
    private let shift: UInt64
    private let offset: UInt64

    init(count: Int, seed: UInt64) {
        let bits = max(2, UInt64.bitWidth - UInt64(max(1, count - 1)).leadingZeroBitCount)
        self.count = UInt64(count)
        mask = (1 << UInt64(bits)) - 1
        shift = UInt64((bits + 1) / 2)
        offset = mixed(seed)
    }

    @inline(__always)
    subscript(position: Int) -> Int {
        var x = UInt64(truncatingIfNeeded: position)
        repeat { x = scrambled(x) } while x >= count
        return Int(truncatingIfNeeded: x)
    }

    @inline(__always)
    private func scrambled(_ value: UInt64) -> UInt64 {
        var x = (value &+ offset) & mask
        x ^= x &>> shift
        x = (x &* 0x9e37_79b9_7f4a_7c15) & mask
        x ^= x &>> shift
        x = (x &* 0xd6e8_feb8_6659_fd93) & mask
        x ^= x &>> shift
        x = (x &* 0xff51_afd7_ed55_8ccd) & mask
        return x ^ (x &>> shift)
    }
}

/// The order in which keys are written.
enum FillOrder: Sendable {
    case ascending
    case shuffled(Permutation)

    @inline(__always)
    subscript(position: Int) -> Int {
        switch self {
        case .ascending: position
        case .shuffled(let permutation): permutation[position]
        }
    }
}

/// Ranks 0 ..< count with a skewed distribution: rank r has a weight of 1 / (r + 1)^0.99, as in YCSB. The method is
/// that of Gray et al., "Quickly generating billion-record synthetic databases" (1994).
struct Zipfian: Sendable {
    static let skew = 0.99

    let count: Int
    private let zeta: Double
    private let alpha: Double
    private let eta: Double
    private let secondWeight: Double

    /// Makes the distribution. O(count).
    init(count: Int) {
        precondition(count > 0)
        self.count = count
        let skew = Zipfian.skew
        zeta = (1...count).reduce(0.0) { $0 + pow(Double($1), -skew) }
        let zetaOfTwo = 1 + pow(2, -skew)
        secondWeight = zetaOfTwo
        alpha = 1 / (1 - skew)
        eta = (1 - pow(2 / Double(count), 1 - skew)) / (1 - zetaOfTwo / zeta)
    }

    /// Returns the rank for a uniformly distributed number.
    @inline(__always)
    func rank(_ random: UInt64) -> Int {
        let part = Double(random &>> 11) * 0x1p-53
        let weight = part * zeta
        if weight < 1 { return 0 }
        if weight < secondWeight { return min(1, count - 1) }
        return min(count - 1, Int(Double(count) * pow(eta * part - eta + 1, alpha)))
    }

    /// Returns the item of a rank, so that frequent items are spread over the whole range.
    @inline(__always)
    func scrambled(_ random: UInt64) -> Int { pick(UInt64(truncatingIfNeeded: rank(random)) &+ 1, below: count) }
}

/// Maps neighbouring numbers to unrelated ones, with MurmurHash3's finaliser.
@inline(__always)
func mixed(_ number: UInt64) -> UInt64 {
    var x = number
    x ^= x &>> 33
    x = x &* 0xff51_afd7_ed55_8ccd
    x ^= x &>> 33
    x = x &* 0xc4ce_b9fe_1a85_ec53
    x ^= x &>> 33
    return x
}

/// Returns a number below `count`, unrelated to that of neighbouring arguments, for picking keys with replacement.
@inline(__always)
func pick(_ number: UInt64, below count: Int) -> Int {
    Int(truncatingIfNeeded: mixed(number).multipliedFullWidth(by: UInt64(count)).high)
}
