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
