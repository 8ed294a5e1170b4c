/// The rows of a result file, grouped for comparison.
struct Figures: Sendable {
    let file: ResultFile
    /// The comparisons by workload in the order in which they ran, then by size, threads and the rest.
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

    /// Returns the order of first occurrence.
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

    /// All contenders, sorted.
    var contenders: [Contender] { Set(comparisons.flatMap { $0.series.map(\.contender) }).sorted() }

    /// The lowest and the highest number of repetitions of a setting.
    var repetitions: ClosedRange<Int> {
        let counts = comparisons.flatMap { $0.series.map(\.rows.count) }
        return (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    var warmUpCount: Int { file.rows.count { $0.run < 0 } }

    /// Returns the spread over the repetitions of a limit of the machine.
    func roofline(_ name: String, threads: Int? = nil) -> Spread? {
        Spread(file.rooflines.filter { $0.name == name && $0.threads == threads && $0.run >= 0 }.map(\.perSecond))
    }
}

extension Figures {
    /// The properties that must be equal for settings to differ only in size.
    private struct Family: Hashable {
        let workload: String
        let after: String
        let valueBytes: Int
        let threads: Int
        let rate: Double?
        let memoryLimit: Int?

        init(_ setting: Setting) {
            workload = setting.workload
            after = setting.after
            valueBytes = setting.valueBytes
            threads = setting.threads
            rate = setting.rate
            memoryLimit = setting.memoryLimit
        }
    }

    /// Settings that differ only in size, if there is more than one; ascending by size.
    var sizeFamilies: [[Comparison]] {
        let order = comparisons.map { Family($0.setting) }.reduce(into: [Family]()) { order, family in
            if !order.contains(family) { order.append(family) }
        }
        let grouped = Dictionary(grouping: comparisons) { Family($0.setting) }
        return order.compactMap { grouped[$0] }.filter { Set($0.map(\.setting.entries)).count > 1 }
    }
}
