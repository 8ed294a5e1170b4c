/// Whether writers fill logs so fast that the space of a whole one should be there ahead of them.
struct LogPace {
    /// The shortest time without much writing after which a store is at rest.
    static let periodNanoseconds: UInt64 = 200_000_000

    /// Busy writers fill at least this much in a period: 5 MiB/s.
    static let busyBytes: UInt64 = 1 << 20

    private var isBusy = false
    /// What had been written when the present stretch began, and when that was; nil before the first look.
    private var stretch: (written: UInt64, began: UInt64)?

    /// Takes a look: `written` bytes have gone into logs since the engine was opened. A stretch is judged when it has lasted
    /// for a period, or when much was written in less.
    mutating func observe(_ written: UInt64, at nanoseconds: UInt64) -> Bool {
        guard let stretch else {
            stretch = (written, nanoseconds)
            return isBusy
        }
        let (bytes, elapsed) = (written &- stretch.written, nanoseconds &- stretch.began)
        guard bytes >= LogPace.busyBytes || elapsed >= LogPace.periodNanoseconds else { return isBusy }
        isBusy = Double(bytes) / Double(LogPace.busyBytes) >= Double(elapsed) / Double(LogPace.periodNanoseconds)
        self.stretch = (written, nanoseconds)
        return isBusy
    }
}
