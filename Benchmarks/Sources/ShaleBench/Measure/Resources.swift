import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// The bytes that this process caused the kernel to read from devices. `nil` if the kernel does not tell.
    static var bytesRead: Int? {
        TextFile.lines("/proc/self/io").first { $0.hasPrefix("read_bytes:") }.flatMap { Int($0.filter(\.isNumber)) }
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

/// Small text files, such as the kernel's.
enum TextFile {
    /// Returns the lines of a file; empty if there is no such file.
    static func lines(_ path: String) -> [Substring] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}

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
