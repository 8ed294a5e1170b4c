import Posix

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
