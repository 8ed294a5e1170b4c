/// The repetitions of one contender in one setting.
struct Series: Sendable {
    let contender: Contender
    /// The rows by repetition, without warm-ups.
    let rows: [ResultRow]

    /// Returns the spread; `nil` if no repetition measured it.
    func spread(_ measure: Measure) -> Spread? { Spread(rows.compactMap(measure.value)) }

    func median(_ measure: Measure) -> Double? { spread(measure)?.median }

    /// The median repetition by its headline measure, whose latency curve and timeline are drawn. Averages of curves
    /// would hide the stalls.
    var typical: ResultRow? {
        guard !rows.isEmpty else { return nil }
        let headline: (ResultRow) -> Double = { $0.milliseconds ?? $0.perSecond }
        return rows.sorted { headline($0) < headline($1) }[(rows.count - 1) / 2]
    }

    var notes: [String] {
        rows.compactMap(\.note).reduce(into: []) { notes, note in
            if !notes.contains(note) { notes.append(note) }
        }
    }
}

/// The median of repetitions of one measurement, and their range.
struct Spread: Equatable, Sendable {
    let median: Double
    let min: Double
    let max: Double
    let count: Int

    /// Makes the spread; `nil` if there are no values. For an even number of values, the median is the mean of the
    /// middle two.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        min = first
        max = last
        count = sorted.count
    }

    /// The largest distance of a repetition from the median, as a part of the median. `nil` with one repetition, or at
    /// a median of 0.
    var deviation: Double? {
        guard count > 1, median > 0 else { return nil }
        return Swift.max(max - median, median - min) / median
    }
}
