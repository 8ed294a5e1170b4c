#if os(Linux)
    import Foundation

    /// Limits the address space of this process to `roomBytes` beyond its present size, so that a larger allocation
    /// ends the process.
    ///
    /// Only for exit tests, which run in a process of their own.
    package func limitAddressSpace(roomBytes: Int = 1 << 30) throws {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
        let bytes = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        var limit = rlimit(rlim_cur: rlim_t(bytes + roomBytes), rlim_max: rlim_t(bytes + roomBytes))
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
            throw CocoaError(.featureUnsupported)
        }
    }
#endif
