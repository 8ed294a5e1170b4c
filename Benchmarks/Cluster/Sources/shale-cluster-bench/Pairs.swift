#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A round of one side.
struct Round {
    /// Operations per second.
    private(set) var rate = 0.0
    /// Microseconds of processor time for an operation.
    private(set) var cpu = 0.0

    /// Measures `count` operations of a body that returns the seconds that they took.
    static func measure(_ count: Int, _ body: () async throws -> Double) async throws -> Round {
        let before = clock()
        let seconds = try await body()
        let cpuSeconds = Double(clock() - before) / 1e6
        return Round(rate: Double(count) / seconds, cpu: cpuSeconds / Double(count) * 1e6)
    }
}

/// The results of pairs of rounds.
struct Pairs {
    private var ours: [Round] = []
    private var theirs: [Round] = []

    mutating func add(_ ours: Round, _ theirs: Round) {
        self.ours.append(ours)
        self.theirs.append(theirs)
    }

    /// The median of the ratios of pairs.
    var ratio: Double { ratio(at: 0.5) }

    /// Returns a row of the table, without the operation.
    func row(_ bar: Double) -> String {
        "\(number(ours, \.rate))/s | \(number(theirs, \.rate))/s | \(text(ratio)) "
            + "| \(text(ratio(at: 0.25))) … \(text(ratio(at: 0.75))) | \(text(bar)) "
            + "| \(number(ours, \.cpu)) µs | \(number(theirs, \.cpu)) µs"
    }

    private func ratio(at part: Double) -> Double {
        quantile(part, zip(ours, theirs).map { $0.rate / $1.rate })
    }

    private func number(_ rounds: [Round], _ figure: KeyPath<Round, Double>) -> Int {
        Int(quantile(0.5, rounds.map { $0[keyPath: figure] }).rounded())
    }

    private func quantile(_ part: Double, _ figures: [Double]) -> Double {
        figures.sorted()[Int(part * Double(figures.count - 1))]
    }

    private func text(_ ratio: Double) -> String {
        let hundredths = Int((ratio * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}
