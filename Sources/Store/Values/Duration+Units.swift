extension Duration {
    /// Minutes of 60 seconds.
    public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }

    /// Hours of 60 minutes.
    public static func hours(_ count: Int) -> Duration { .seconds(3600) * count }

    /// Days of 24 hours.
    public static func days(_ count: Int) -> Duration { .seconds(86_400) * count }

    /// Rounded up; the nearest `Int64` when it is out of range.
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
