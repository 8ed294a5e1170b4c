/// Shows on standard error how far a long command has come: a bar that is redrawn on a terminal, elsewhere a line every
/// two seconds. Silent when told so. Used by one thread.
final class Progress {
    private let label: String
    private let isQuiet: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var nextUpdate: ContinuousClock.Instant
    private var hasDrawn = false

    init(_ label: String, isQuiet: Bool) {
        self.label = label
        self.isQuiet = isQuiet
        start = clock.now
        nextUpdate = start + (Terminal.isInteractive ? .milliseconds(100) : .seconds(2))
    }

    var elapsed: Duration { clock.now - start }

    /// Shows a state if it is time to. `fraction` is `nil` while the whole is not known; `detail` is made only if needed.
    func update(fraction: Double?, _ detail: @autoclosure () -> String) {
        guard !isQuiet else { return }
        let now = clock.now
        guard now >= nextUpdate else { return }
        if Terminal.isInteractive {
            nextUpdate = now + .milliseconds(100)
            Terminal.emit("\r\(barLine(fraction, detail(), now - start))\u{1b}[K")
            hasDrawn = true
        } else {
            nextUpdate = now + .seconds(2)
            let percent = fraction.map { "\(Int($0 * 100)) %, " } ?? ""
            Terminal.note("\(label): \(percent)\(detail())\(remaining(fraction, now - start))")
        }
    }

    /// Takes the bar away, so that an error message stands on a line of its own.
    func erase() {
        if hasDrawn { Terminal.emit("\r\u{1b}[K") }
        hasDrawn = false
    }

    private func remaining(_ fraction: Double?, _ elapsed: Duration) -> String {
        guard let fraction, fraction > 0.01, fraction < 1 else { return "" }
        return ", \(Figures.duration(.seconds(elapsed.seconds * (1 - fraction) / fraction))) left"
    }

    private func barLine(_ fraction: Double?, _ detail: String, _ elapsed: Duration) -> String {
        let text = "\(detail)\(remaining(fraction, elapsed))"
        guard let fraction else { return String("\(label)  \(text)".prefix(Terminal.columns - 1)) }
        let percent = String(Int(min(1, fraction) * 100))
        let head = "\(label) " + String(repeating: " ", count: max(0, 3 - percent.count)) + percent + " % "
        let width = min(30, Terminal.columns - head.count - text.count - 4)
        guard width >= 8 else { return String((head + text).prefix(Terminal.columns - 1)) }
        let filled = Int((Double(width) * min(1, fraction)).rounded())
        let full = String(repeating: "█", count: filled)
        let empty = String(repeating: "░", count: width - filled)
        return head + (Terminal.hasColor ? "\u{1b}[36m\(full)\u{1b}[2m\(empty)\u{1b}[0m" : full + empty) + " " + text
    }
}
