/// A timeline with few enough windows for a chart.
struct Windows: Sendable {
    /// The length of a window in seconds.
    let interval: Double
    let perSecond: [Double]
    /// The longest operation of each window in microseconds.
    let longest: [Double]

    /// Joins adjacent windows until there are at most `limit`. A joined window has the mean throughput and the longest
    /// operation of all, so that no stall is lost.
    init(_ timeline: ResultTimeline, limit: Int = 400) {
        let count = timeline.perSecond.count
        let width = max(1, (count + limit - 1) / limit)
        let starts = stride(from: 0, to: count, by: width)
        interval = timeline.intervalSeconds * Double(width)
        perSecond = starts.map { start in
            let part = timeline.perSecond[start..<min(start + width, count)]
            return part.reduce(0, +) / Double(part.count)
        }
        longest = starts.map { start in
            timeline.longestMicroseconds[start..<min(start + width, count)].max() ?? 0
        }
    }

    var seconds: Double { interval * Double(perSecond.count) }

    /// The content of the chart as text.
    var description: String {
        guard let fastest = perSecond.max(), let slowest = perSecond.min(), let longest = longest.max() else {
            return "No windows."
        }
        let stops = perSecond.count { $0 == 0 }
        return
            "\(Format.digits(seconds)) s in windows of \(Format.digits(interval)) s. Between "
            + "\(Format.short(slowest))/s and \(Format.short(fastest))/s, \(stops) windows without any operation, "
            + "longest operation \(Format.duration(microseconds: longest))."
    }
}
