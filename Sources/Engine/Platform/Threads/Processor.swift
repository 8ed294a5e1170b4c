#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Processors that this process may use, at least one.
package func processorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Blocks the calling thread for at least so long; signals don't shorten it.
package func sleepNanoseconds(_ nanoseconds: UInt64) {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(nanoseconds) }
    #endif
    var left = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    while unsafe nanosleep(&left, &rest) == -1, errno == EINTR { left = rest }
}

/// Lets other threads run, if any wait for a processor.
package func yieldProcessor() {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(1) }
    #endif
    sched_yield()
}
