import Foundation

/// A table of measured and recorded values, one hot path per line.
struct InstructionTable {
    private let thresholds: Thresholds

    init(_ thresholds: Thresholds) { self.thresholds = thresholds }

    func print(_ samples: [Sample]) {
        Swift.print("per operation         instructions  recorded  ratio  spread  ref counts  allocations  runtime  ")
        for sample in samples { Swift.print(row(sample)) }
    }

    private func row(_ sample: Sample) -> String {
        let line = thresholds[sample.path.name]
        let measured = sample.measured
        let name = sample.path.name.padding(toLength: 22, withPad: " ", startingAt: 0)
        let ratio = line.map { String(format: "%.3f", measured.instructions / $0.recorded.instructions) } ?? "-"
        let recorded = line.map { String(format: "%.1f", $0.recorded.instructions) } ?? "-"
        let columns =
            [
                (String(format: "%.1f", measured.instructions), 12), (recorded, 10), (ratio, 7),
                (String(format: "%.2f", sample.spread), 8), (String(format: "%.3f", measured.referenceCounts), 12),
                (String(format: "%.3f", measured.allocations), 13), (String(format: "%.3f", measured.runtimeCalls), 9),
            ].map { text, width in String(repeating: " ", count: max(0, width - text.count)) + text }
        return name + columns.joined() + "  " + verdict(line, measured)
    }

    private func verdict(_ line: Thresholds.Line?, _ measured: Measurement) -> String {
        guard let line else { return "new" }
        if !line.excesses(measured).isEmpty { return "WORSE" }
        return measured.instructions < line.recorded.instructions * (1 - line.tolerance / 100) ? "better" : "ok"
    }
}
