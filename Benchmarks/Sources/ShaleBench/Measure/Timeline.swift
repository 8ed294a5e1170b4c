/// Operations and the longest of them in windows of 100 ms, to show stalls that percentiles hide.
struct Timeline: Sendable {
    struct Window: Sendable {
        var operations = 0
        var longestNanoseconds: UInt64 = 0
    }

    static let windowNanoseconds: UInt64 = 100_000_000

    private let began: UInt64
    private var windowEnd: UInt64
    private var current = Window()
    private var finished: [Window] = []

    init(began: UInt64) {
        self.began = began
        windowEnd = began + Timeline.windowNanoseconds
        finished.reserveCapacity(4096)
    }

    /// Records an operation that ended at `now`, in the window in which it ended.
    @inline(__always)
    mutating func add(_ operations: Int, latency: UInt64, at now: UInt64) {
        if now >= windowEnd { advance(to: now) }
        current.operations &+= operations
        if latency > current.longestNanoseconds { current.longestNanoseconds = latency }
    }

    @inline(never)
    private mutating func advance(to now: UInt64) {
        while now >= windowEnd {
            finished.append(current)
            current = Window()
            windowEnd += Timeline.windowNanoseconds
        }
    }

    /// All windows; the last one may be shorter.
    var windows: [Window] { finished + [current] }

    mutating func merge(_ other: Timeline) {
        var sum = windows
        for (index, window) in other.windows.enumerated() {
            if index == sum.count { sum.append(Window()) }
            sum[index].operations += window.operations
            sum[index].longestNanoseconds = max(sum[index].longestNanoseconds, window.longestNanoseconds)
        }
        current = sum.removeLast()
        finished = sum
    }
}
