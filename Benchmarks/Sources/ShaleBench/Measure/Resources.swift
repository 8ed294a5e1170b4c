#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the process has used.
enum Resources {
    /// User and system time of all threads.
    static var cpuSeconds: Double {
        let usage = current
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The most memory that was resident since the last ``resetPeak()``, where that works, or since the start.
    static var peakResidentBytes: Int {
        #if canImport(Darwin)
            return Int(current.ru_maxrss)
        #else
            guard let line = TextFile.lines("/proc/self/status").first(where: { $0.hasPrefix("VmHWM:") }),
                let kibibytes = Int(line.filter(\.isNumber))
            else { return Int(current.ru_maxrss) << 10 }
            return kibibytes << 10
        #endif
    }

    /// Best effort: a kernel that refuses leaves the peak of the whole run.
    static func resetPeak() {
        #if !canImport(Darwin)
            let file = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = unsafe write(file, "5", 1)
            close(file)
        #endif
    }

    /// Bytes that this process has made the kernel write: pages that it made dirty, mapped ones included, on Linux since
    /// its start. `nil` where the kernel doesn't tell.
    static var bytesWritten: Int? {
        TextFile.lines("/proc/self/io").first { $0.hasPrefix("write_bytes:") }.flatMap { Int($0.filter(\.isNumber)) }
    }

    private static var current: rusage {
        var usage = rusage()
        #if canImport(Glibc)
            unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        #else
            unsafe getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
