import Posix

/// The monotonic clock, in nanoseconds.
enum Clock {
    @inline(__always)
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// Measures the cost of one reading, which is part of every latency and every rate in the report.
    static func measureCost() -> Double {
        let rounds = 200_000
        let began = now
        var sum: UInt64 = 0
        for _ in 0..<rounds { sum &+= now }
        let spent = Double(now - began)
        return sum == 0 ? 0 : spent / Double(rounds)
    }

    static func seconds(since began: UInt64) -> Double { Double(now - began) / 1e9 }

    static func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Sleeps until shortly before `moment`, then polls the clock.
    static func wait(until moment: UInt64) {
        while true {
            let now = now
            guard now < moment else { return }
            if moment - now > 200_000 { usleep(UInt32((moment - now - 100_000) / 1000)) }
        }
    }
}
