/// How fast writers fill logs: whether the space of a whole one should be there ahead of them, or hardly any.
struct LogPace {
    enum Activity {
        /// Nothing was written for at least a period.
        case none
        case slow
        case busy
    }

    /// The shortest time without much writing after which a store is at rest.
    static let periodNanoseconds: UInt64 = 200_000_000

    /// Busy writers fill at least this much in a period: 5 MiB/s.
    static let busyBytes: UInt64 = 1 << 20

    private var activity = Activity.slow
    /// What had been written when the present stretch began, and when that was; nil before the first look.
    private var stretch: (written: UInt64, began: UInt64)?

    /// Takes a look: `written` bytes have gone into logs since the engine was opened. A stretch is judged when it has lasted
    /// for a period, or when much was written in less.
    mutating func observe(_ written: UInt64, at nanoseconds: UInt64) -> Activity {
        guard let stretch else {
            stretch = (written, nanoseconds)
            return activity
        }
        let (bytes, elapsed) = (written &- stretch.written, nanoseconds &- stretch.began)
        if activity == .none, bytes > 0 { activity = .slow }
        guard bytes >= LogPace.busyBytes || elapsed >= LogPace.periodNanoseconds else { return activity }
        let isBusy = Double(bytes) / Double(LogPace.busyBytes) >= Double(elapsed) / Double(LogPace.periodNanoseconds)
        activity = isBusy ? .busy : bytes > 0 ? .slow : .none
        self.stretch = (written, nanoseconds)
        return activity
    }
}
