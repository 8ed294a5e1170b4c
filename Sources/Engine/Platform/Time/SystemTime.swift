#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// The machine's clocks.
public struct SystemTime: TimeSource {
    public init() {}

    public var wallMilliseconds: Int64 {
        let time = SystemTime.read(CLOCK_REALTIME)
        return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    public var monotonicNanoseconds: UInt64 {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current { return scheduler.nanoseconds }
        #endif
        let time = SystemTime.read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time
    }
}
