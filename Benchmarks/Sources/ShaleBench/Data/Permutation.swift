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
