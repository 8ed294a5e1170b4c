extension Duration {
    /// Returns a duration of `count` minutes of 60 s.
    public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }

    /// Returns a duration of `count` hours of 60 min.
    public static func hours(_ count: Int) -> Duration { .seconds(3600) * count }

    /// Returns a duration of `count` days of 24 h.
    public static func days(_ count: Int) -> Duration { .seconds(86_400) * count }

    /// The duration in milliseconds, rounded up and clamped to the range of `Int64`.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let part = attoseconds / 1_000_000_000_000_000
        let isRounded = attoseconds > part * 1_000_000_000_000_000
        let (sum, isOver) = whole.addingReportingOverflow(part + (isRounded ? 1 : 0))
        return isOver ? (whole < 0 ? .min : .max) : sum
    }
}
