/// The middle of some repetitions of one measurement, and how far they lie apart.
struct Spread: Equatable, Sendable {
    let median: Double
    let min: Double
    let max: Double
    let count: Int

    /// `nil` if there are no values. Of an even number of values, the median is the mean of the middle two.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        min = first
        max = last
        count = sorted.count
    }

    /// How far the repetition that is farthest from the median lies from it, as a part of the median.
    /// `nil` with one repetition, of which nothing is known, and at a median of 0.
    var deviation: Double? {
        guard count > 1, median > 0 else { return nil }
        return Swift.max(max - median, median - min) / median
    }
}
