import Posix

/// The resources used by the process.
enum Resources {
    /// User and system time of all threads, in seconds.
    static var cpuSeconds: Double {
        let usage = current
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The peak of resident memory since the last ``resetPeak()``, if the kernel supports it, or since the start.
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

    /// Resets the peak. If the kernel refuses, the peak of the whole run remains.
    static func resetPeak() {
        #if !canImport(Darwin)
            let file = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = unsafe write(file, "5", 1)
            close(file)
        #endif
    }

    /// The bytes that this process caused the kernel to write: pages that it dirtied, including mapped ones, on Linux
    /// since its start. `nil` if the kernel does not tell.
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
