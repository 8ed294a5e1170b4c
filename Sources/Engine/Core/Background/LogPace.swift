/// Measures how fast writers fill logs, to decide how much space to reserve ahead of them.
struct LogPace {
    enum Activity {
        /// Nothing was written for at least a period.
        case none
        case slow
        case busy
    }

    /// The shortest time without a write after which a store is idle.
    static let periodNanoseconds: UInt64 = 200_000_000

    /// Busy writers fill at least this much in a period: 5 MiB/s.
    static let busyBytes: UInt64 = 1 << 20

    private var activity = Activity.slow
    /// The bytes written when the current measurement began, and its time; nil before the first call.
    private var stretch: (written: UInt64, began: UInt64)?

    /// Returns the activity. A measurement ends after one period, or earlier when much was written.
    ///
    /// - Parameter written: The number of bytes written to logs since the engine was opened.
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
