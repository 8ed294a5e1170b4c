#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Returns the number of online processors, at least one.
package func processorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// Blocks the calling thread for at least `nanoseconds`; signals don't shorten it.
package func sleepNanoseconds(_ nanoseconds: UInt64) {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(nanoseconds) }
    #endif
    var left = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var rest = timespec()
    while unsafe nanosleep(&left, &rest) == -1, errno == EINTR { left = rest }
}

/// Yields the processor to other threads that are ready to run.
package func yieldProcessor() {
    #if SHALE_SCHEDULES
        if let scheduler = ThreadScheduler.current { return scheduler.sleep(1) }
    #endif
    sched_yield()
}
