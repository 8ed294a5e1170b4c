/// What all contenders made of one setting.
struct Comparison: Sendable {
    let setting: Setting
    /// In the order of contenders.
    let series: [Series]

    /// A peer that was better than Shale.
    struct Loss: Equatable, Sendable {
        let peer: Contender
        let measure: Measure
        /// Of Shale to the peer, in the sense of ``Comparison/ratio(_:to:)``: below 1.
        let ratio: Double
    }

    func series(of contender: Contender) -> Series? { series.first { $0.contender == contender } }

    /// One step such as opening, measured as a duration.
    var isOneStep: Bool { series.contains { $0.spread(.milliseconds) != nil } }

    var headline: Measure { isOneStep ? .milliseconds : .perSecond }

    /// The contender of Shale that `peer` is to be compared with: of the same variant, otherwise the usual one.
    /// Stores that don't compress at all have one variant and meet the usual one.
    func shale(against peer: Contender) -> Series? {
        series(of: Contender(peer: Contender.shale, variant: peer.variant))
            ?? series(of: Contender(peer: Contender.shale))
    }

    /// How many times better Shale's median is than the median of `peer`: throughput of Shale / throughput of the peer,
    /// and the other way around for durations. `nil` if either was not measured.
    func ratio(_ measure: Measure, to peer: Contender) -> Double? {
        guard let ours = shale(against: peer)?.median(measure), let theirs = series(of: peer)?.median(measure) else {
            return nil
        }
        let ratio = measure.isBetterHigher ? ours / theirs : theirs / ours
        return ratio.isFinite ? ratio : nil
    }

    /// Every peer that was ahead of Shale by throughput, acknowledged or settled, or by duration.
    var losses: [Loss] {
        series.filter { !$0.contender.isShale && !$0.contender.isYardstick }.flatMap { series in
            [headline, .settledPerSecond].compactMap { measure in
                guard let ratio = ratio(measure, to: series.contender), ratio < 1 else { return nil }
                return Loss(peer: series.contender, measure: measure, ratio: ratio)
            }
        }
    }

    /// A few words on ``losses``; empty if there are none.
    var lossText: String {
        guard !losses.isEmpty else { return "" }
        let parts = losses.map { loss in
            "\(loss.peer.name) (\(loss.measure == .settledPerSecond ? "settled " : "")\(Format.ratio(loss.ratio)))"
        }
        return "behind " + parts.joined(separator: ", ")
    }
}
