import Foundation

/// Maps values to positions from 0 to 1.
struct PlotScale: Equatable, Sendable {
    enum Kind: Sendable {
        case linear, logarithmic
    }

    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    let kind: Kind
    let low: Double
    let high: Double

    /// Returns a scale from 0 to `highest`.
    static func linear(to highest: Double) -> PlotScale {
        PlotScale(kind: .linear, low: 0, high: max(highest, .leastNormalMagnitude))
    }

    /// Returns a scale of whole decades around `values`, at least one. Ignores values that are not positive.
    static func logarithmic(around values: [Double]) -> PlotScale {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let low = floor(log10(positive.min() ?? 1) + 1e-9)
        let high = ceil(log10(positive.max() ?? 10) - 1e-9)
        return PlotScale(kind: .logarithmic, low: pow(10, low), high: pow(10, max(high, low + 1)))
    }

    /// Returns the position of a value, clamped to the ends.
    func position(_ value: Double) -> Double {
        let part =
            switch kind {
            case .linear: (value - low) / (high - low)
            case .logarithmic: value > 0 ? log10(value / low) / log10(high / low) : 0
            }
        return min(max(part, 0), 1)
    }

    /// Returns about `count` round values inside the scale. A logarithmic scale has a tick at every decade, every
    /// second one, and so on.
    func ticks(_ count: Int = 4, label: (Double) -> String) -> [Tick] {
        let values =
            switch kind {
            case .linear: linearTicks(count)
            case .logarithmic: decades(count)
            }
        return values.map { Tick(value: $0, label: label($0)) }
    }

    private func linearTicks(_ count: Int) -> [Double] {
        let rough = (high - low) / Double(count)
        let magnitude = pow(10, floor(log10(rough)))
        let step = [1, 2, 5, 10].map { $0 * magnitude }.first { $0 >= rough * 0.999 } ?? rough
        return stride(from: 0, through: (high - low) / step + 1e-9, by: 1).map { low + $0 * step }
    }

    private func decades(_ count: Int) -> [Double] {
        let exponents = Int(log10(low).rounded())...Int(log10(high).rounded())
        let step = max(1, (exponents.count + count) / (count + 1))
        return stride(from: exponents.lowerBound, through: exponents.upperBound, by: step).map { pow(10, Double($0)) }
    }
}
