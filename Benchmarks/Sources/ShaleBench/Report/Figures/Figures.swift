/// The rows of a result file, put together for comparison.
struct Figures: Sendable {
    let file: ResultFile
    /// By workload in the order in which they ran, then by size, threads and the rest.
    let comparisons: [Comparison]

    init(_ file: ResultFile) {
        self.file = file
        let rows = file.rows.filter { $0.run >= 0 }
        let workloads = Figures.firstIndices(rows.map(\.workload))
        let states = Figures.firstIndices(rows.map(\.after))
        let order: (Setting) -> (Int, Int, Int, Int, Int, Double) = { setting in
            (
                workloads[setting.workload] ?? 0, setting.valueBytes, setting.entries, setting.threads,
                states[setting.after] ?? 0, setting.rate ?? 0
            )
        }
        comparisons = Dictionary(grouping: rows, by: Setting.init(of:))
            .map { Comparison(setting: $0.key, series: Figures.series($0.value)) }
            .sorted { order($0.setting) < order($1.setting) }
    }

    /// Which of them came first.
    private static func firstIndices(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { order, name in
            if order[name] == nil { order[name] = order.count }
        }
    }

    private static func series(_ rows: [ResultRow]) -> [Series] {
        Dictionary(grouping: rows, by: Contender.init(of:))
            .map { Series(contender: $0.key, rows: $0.value.sorted { $0.run < $1.run }) }
            .sorted { $0.contender < $1.contender }
    }

    var workloads: [String] {
        comparisons.map(\.setting.workload).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    func comparisons(of workload: String) -> [Comparison] { comparisons.filter { $0.setting.workload == workload } }

    /// Sorted; those in the machine block included.
    var contenders: [Contender] { Set(comparisons.flatMap { $0.series.map(\.contender) }).sorted() }

    /// How often each setting was measured at least and at most.
    var repetitions: ClosedRange<Int> {
        let counts = comparisons.flatMap { $0.series.map(\.rows.count) }
        return (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    var warmUpCount: Int { file.rows.count { $0.run < 0 } }

    /// The median over the repetitions of a limit of the machine.
    func roofline(_ name: String, threads: Int? = nil) -> Spread? {
        Spread(file.rooflines.filter { $0.name == name && $0.threads == threads && $0.run >= 0 }.map(\.perSecond))
    }
}
