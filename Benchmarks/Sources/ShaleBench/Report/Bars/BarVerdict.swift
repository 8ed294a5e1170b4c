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
