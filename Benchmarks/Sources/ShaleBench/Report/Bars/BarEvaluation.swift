import Formatting

/// The outcome of a bar in one setting, with its figures.
struct BarVerdict: Sendable {
    enum Outcome: String, Sendable {
        case met, missed
        case notMeasured = "not measured"
    }

    let bar: Bar
    let outcome: Outcome
    /// The setting that counted; `nil` if there was none.
    var setting: Setting?
    /// The value that is compared with the bar's factor; `nil` if it was not measured.
    var value: Double?
    /// The figures as text.
    let figures: String

    /// The bar's name, with the state of the tree if there is a verdict for each state.
    var name: String {
        guard bar.size != .every, let after = setting?.after, !after.isEmpty else { return bar.name }
        return bar.name + ", after \(after)"
    }
}

/// Compares the medians of a run with the bars.
struct BarEvaluation: Sendable {
    /// The figure with which Shale's is compared, and its name.
    struct Opposite {
        let value: Double
        let name: String
    }

    private static let lsmPeers = ["leveldb", "rocksdb"]

    let figures: Figures

    /// Returns at least one verdict per bar: one for each state of the tree (`after`) in which its workload was
    /// measured.
    func verdicts(on bars: [Bar] = Bar.all) -> [BarVerdict] { bars.flatMap(verdicts) }

    private func verdicts(on bar: Bar) -> [BarVerdict] {
        let all = figures.comparisons.filter { bar.concerns($0.setting) }
        switch bar.size {
        case .entries(let count):
            let found = all.filter { $0.setting.entries == count }.compactMap { judge(bar, $0) }
            return found.isEmpty ? [missing(bar, all)] : found
        case .every:
            let found = all.compactMap { judge(bar, $0) }
            return worst(of: found, bar).map { [$0] } ?? [missing(bar, all)]
        }
    }

    /// Returns the verdict; `nil` if one side was not measured.
    private func judge(_ bar: Bar, _ comparison: Comparison) -> BarVerdict? {
        guard let ours = ours(comparison)?.spread(bar.measure) else { return nil }
        switch bar.reference {
        case .constant, .elsewhere:
            return verdict(bar, comparison, value: ours.median, figures: text(ours, bar.measure))
        default: break
        }
        guard let other = opposite(bar, comparison), other.value > 0 else { return nil }
        let value = ours.median / other.value
        let figures =
            "\(Format.ratio(value)): \(text(ours, bar.measure)) against \(bar.measure.text(other.value)) "
            + "(\(other.name))"
        return verdict(bar, comparison, value: value, figures: figures)
    }

    private func verdict(_ bar: Bar, _ comparison: Comparison, value: Double, figures: String) -> BarVerdict {
        BarVerdict(
            bar: bar, outcome: bar.isReached(value) ? .met : .missed, setting: comparison.setting, value: value,
            figures: figures)
    }

    private func ours(_ comparison: Comparison) -> Series? { comparison.series(of: Contender(peer: Contender.shale)) }

    private func opposite(_ bar: Bar, _ comparison: Comparison) -> Opposite? {
        switch bar.reference {
        case .bestLSM: best(bar.measure, comparison) { BarEvaluation.lsmPeers.contains($0) }
        case .bestPeer: best(bar.measure, comparison) { _ in true }
        case .peers(let peers): best(bar.measure, comparison) { peers.contains($0) }
        case .roofline(let name):
            (figures.roofline(name, threads: comparison.setting.threads) ?? single(name, comparison))
                .map { Opposite(value: $0.median, name: name) }
        case .rooflineStep(let name):
            figures.roofline(name).map { Opposite(value: 1e3 / $0.median, name: name) }
        case .ownRoofline:
            Spread(ours(comparison)?.rows.compactMap(\.rooflinePerSecond) ?? [])
                .map { Opposite(value: $0.median, name: "roofline") }
        case .memoryBudget(let bytes):
            ours(comparison)?.rows.compactMap(\.memoryBudgetBytes).min()
                .map { Opposite(value: Double($0 + bytes), name: "budget + \(Format.mebibytes(Double(bytes)))") }
        case .ours(let entries): ours(comparison.setting, at: entries, bar.measure)
        case .smallestSize: smallest(bar).map { Opposite(value: $0.value, name: $0.name) }
        case .constant, .elsewhere: nil
        }
    }

    /// Rooflines of one thread may omit the number of threads.
    private func single(_ name: String, _ comparison: Comparison) -> Spread? {
        comparison.setting.threads == 1 ? figures.roofline(name) : nil
    }

    /// Ignores uncompressed rows: the bars apply to the usual options.
    private func best(_ measure: Measure, _ comparison: Comparison, where isAsked: (String) -> Bool) -> Opposite? {
        comparison.series
            .filter { !$0.contender.isShale && isAsked($0.contender.peer) && $0.contender.variant != "uncompressed" }
            .compactMap { series in
                series.median(measure).map { Opposite(value: $0, name: series.contender.name) }
            }
            .max { measure.isBetterHigher ? $0.value < $1.value : $0.value > $1.value }
    }

    /// Returns Shale's figure in the same setting at another size.
    private func ours(_ setting: Setting, at entries: Int, _ measure: Measure) -> Opposite? {
        let other = figures.comparisons.first { $0.setting == setting.with(entries: entries) }
        return other.flatMap(ours)?.median(measure).map {
            Opposite(value: $0, name: "n = \(Format.grouped(Double(entries)))")
        }
    }

    /// Returns Shale's figure at the smallest size; `nil` with a single size, which tells nothing about growth.
    private func smallest(_ bar: Bar) -> Opposite? {
        let all = figures.comparisons.filter { bar.concerns($0.setting) && ours($0)?.median(bar.measure) != nil }
        let smallest = all.min { $0.setting.entries < $1.setting.entries }
        guard let smallest, all.contains(where: { $0.setting.entries > smallest.setting.entries }) else { return nil }
        return ours(smallest)?.median(bar.measure).map {
            Opposite(value: $0, name: "n = \(Format.grouped(Double(smallest.setting.entries)))")
        }
    }

    private func worst(of verdicts: [BarVerdict], _ bar: Bar) -> BarVerdict? {
        let worst = verdicts.max { left, right in
            let (left, right) = (left.value ?? 0, right.value ?? 0)
            return bar.relation == .atMost ? left < right : left > right
        }
        guard let worst, let setting = worst.setting else { return nil }
        let place = bar.workload.isEmpty ? "\(setting.workload), \(setting.details)" : setting.details
        return BarVerdict(
            bar: bar, outcome: worst.outcome, setting: setting, value: worst.value,
            figures: worst.figures + (verdicts.count > 1 ? "; worst of \(verdicts.count), at \(place)" : "; \(place)"))
    }

    /// Reports the figures of another size, so that a short run is informative too.
    private func missing(_ bar: Bar, _ others: [Comparison]) -> BarVerdict {
        let hint = others.max { $0.setting.entries < $1.setting.entries }.flatMap { comparison in
            judge(bar, comparison).map { "\($0.figures) at n = \(Format.grouped(Double(comparison.setting.entries)))" }
        }
        return BarVerdict(bar: bar, outcome: .notMeasured, figures: hint.map { "not at this size; \($0)" } ?? "–")
    }

    private func text(_ spread: Spread, _ measure: Measure) -> String {
        guard spread.count > 1, spread.min < spread.max else { return measure.text(spread.median) }
        return "\(measure.text(spread.median)) [\(measure.text(spread.min)) to \(measure.text(spread.max))]"
    }
}
