extension Figures {
    /// The properties that must be equal for settings to differ only in size.
    private struct Family: Hashable {
        let workload: String
        let after: String
        let valueBytes: Int
        let threads: Int
        let rate: Double?

        init(_ setting: Setting) {
            workload = setting.workload
            after = setting.after
            valueBytes = setting.valueBytes
            threads = setting.threads
            rate = setting.rate
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
