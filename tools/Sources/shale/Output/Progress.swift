import ShaleMaintenance

/// Shows the progress of a long command on standard error: on a terminal a bar that is redrawn, elsewhere a line every
/// 2 s. Silent if requested. Used by one thread.
final class Progress {
    private let label: Shown
    private let isQuiet: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var nextUpdate: ContinuousClock.Instant
    private var hasDrawn = false

    init(_ label: Shown, isQuiet: Bool) {
        self.label = label
        self.isQuiet = isQuiet
        start = clock.now
        nextUpdate = start + (Terminal.isInteractive ? .milliseconds(100) : .seconds(2))
    }

    var elapsed: Duration { clock.now - start }

    /// Shows a state if the interval has passed. `fraction` is `nil` if the total is unknown; `detail` is evaluated
    /// only if needed.
    func update(fraction: Double?, _ detail: @autoclosure () -> Shown) {
        guard !isQuiet else { return }
        let now = clock.now
        guard now >= nextUpdate else { return }
        if Terminal.isInteractive {
            nextUpdate = now + .milliseconds(100)
            Terminal.emit("\r\(barLine(fraction, detail(), now - start))\u{1b}[K")
            hasDrawn = true
        } else {
            nextUpdate = now + .seconds(2)
            let percent = fraction.map { "\(Int($0 * 100)) %, " as Shown } ?? ""
            Terminal.note("\(label): \(percent)\(detail())\(remaining(fraction, now - start))")
        }
    }

    /// Removes the bar, so that an error message has a line of its own.
    func erase() {
        if hasDrawn { Terminal.emit("\r\u{1b}[K") }
        hasDrawn = false
    }

    private func remaining(_ fraction: Double?, _ elapsed: Duration) -> Shown {
        guard let fraction, fraction > 0.01, fraction < 1 else { return "" }
        return ", \(Figures.duration(.seconds(elapsed.seconds * (1 - fraction) / fraction))) left"
    }

    private func barLine(_ fraction: Double?, _ detail: Shown, _ elapsed: Duration) -> Shown {
        let text: Shown = "\(detail)\(remaining(fraction, elapsed))"
        guard let fraction else { return ("\(label)  \(text)" as Shown).prefix(Terminal.columns - 1) }
        let percent = Shown(Int(min(1, fraction) * 100))
        let head: Shown = "\(label) \(Shown.spaces(3 - percent.count))\(percent) % "
        let width = min(30, Terminal.columns - head.count - text.count - 4)
        guard width >= 8 else { return (head + text).prefix(Terminal.columns - 1) }
        let filled = Int((Double(width) * min(1, fraction)).rounded())
        let full = Shown(repeating: "█", count: filled)
        let empty = Shown(repeating: "░", count: width - filled)
        let bar: Shown = Terminal.hasColor ? "\u{1b}[36m\(full)\u{1b}[2m\(empty)\u{1b}[0m" : full + empty
        return "\(head)\(bar) \(text)"
    }
}

extension Progress {
    func update(_ step: MaintenanceProgress) {
        update(
            fraction: step.fraction, "\(Figures.bytes(step.bytes)), \(Figures.byteRate(step.bytes, elapsed))")
    }

    /// Shows the progress of work that makes something. Throws once ^C was pressed.
    func updateMaking(_ step: MaintenanceProgress) throws(StorageError) {
        try Interruption.checkMaking()
        update(step)
    }
}
