import Formatting

/// The results of all contenders in one setting.
struct Comparison: Sendable {
    let setting: Setting
    /// The series in the order of contenders.
    let series: [Series]

    /// A peer that was better than Shale.
    struct Loss: Equatable, Sendable {
        let peer: Contender
        let measure: Measure
        /// The ratio of Shale to the peer as in ``Comparison/ratio(_:to:)``: below 1.
        let ratio: Double
    }

    func series(of contender: Contender) -> Series? { series.first { $0.contender == contender } }

    /// True if the workload is one step such as opening, measured as a duration.
    var isOneStep: Bool { series.contains { $0.spread(.milliseconds) != nil } }

    var headline: Measure { isOneStep ? .milliseconds : .perSecond }

    /// Returns the Shale series with which `peer` is compared: the one of the same variant, otherwise the usual one.
    /// Stores without compression have one variant and are compared with the usual one.
    func shale(against peer: Contender) -> Series? {
        series(of: Contender(peer: Contender.shale, variant: peer.variant))
            ?? series(of: Contender(peer: Contender.shale))
    }

    /// Returns how many times better Shale's median is than that of `peer`: the ratio of Shale's throughput to the
    /// peer's, and the inverse for durations. `nil` if either was not measured.
    func ratio(_ measure: Measure, to peer: Contender) -> Double? {
        guard let ours = shale(against: peer)?.median(measure), let theirs = series(of: peer)?.median(measure) else {
            return nil
        }
        let ratio = measure.isBetterHigher ? ours / theirs : theirs / ours
        return ratio.isFinite ? ratio : nil
    }

    /// All peers that beat Shale by throughput, acknowledged or settled, or by duration.
    var losses: [Loss] {
        series.filter { !$0.contender.isShale && !$0.contender.isYardstick }.flatMap { series in
            [headline, .settledPerSecond].compactMap { measure in
                guard let ratio = ratio(measure, to: series.contender), ratio < 1 else { return nil }
                return Loss(peer: series.contender, measure: measure, ratio: ratio)
            }
        }
    }

    /// A short text about ``losses``; empty if there are none.
    var lossText: String {
        guard !losses.isEmpty else { return "" }
        let parts = losses.map { loss in
            "\(loss.peer.name) (\(loss.measure == .settledPerSecond ? "settled " : "")\(Format.ratio(loss.ratio)))"
        }
        return "behind " + parts.joined(separator: ", ")
    }
}
