/// The repetitions of one contender in one setting.
struct Series: Sendable {
    let contender: Contender
    /// By repetition; warm-ups are not in it.
    let rows: [ResultRow]

    /// `nil` if no repetition measured it.
    func spread(_ measure: Measure) -> Spread? { Spread(rows.compactMap(measure.value)) }

    func median(_ measure: Measure) -> Double? { spread(measure)?.median }

    /// The repetition in the middle by its headline: the one whose latency curve and timeline are drawn. Averaging
    /// curves would wash out the stalls.
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
