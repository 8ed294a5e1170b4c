import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where and with what the figures were measured.
struct Machine: Encodable {
    let processor: String
    let cores: Int
    let memoryBytes: UInt64
    let kernel: String
    let fileSystem: String
    let toolchain: String
    let revision: String
    let clockNanoseconds: Double
    /// Of the last minute before the run: what others were using.
    let loadAverage: Double

    init(directory: String) {
        processor = Machine.processorName
        cores = ProcessInfo.processInfo.activeProcessorCount
        memoryBytes = ProcessInfo.processInfo.physicalMemory
        kernel = Machine.kernelName
        fileSystem = Machine.fileSystem(of: directory)
        let environment = ProcessInfo.processInfo.environment
        toolchain = environment["SHALE_BENCH_TOOLCHAIN"] ?? Machine.compiler
        revision = environment["SHALE_BENCH_REVISION"] ?? "unknown"
        clockNanoseconds = Clock.measureCost()
        var load = [0.0]
        loadAverage = unsafe getloadavg(&load, 1) == 1 ? load[0] : 0
    }

    func printBlock() {
        print("processor   \(processor), \(cores) cores, \(Format.megabytes(Int(memoryBytes))) memory")
        print("kernel      \(kernel)")
        print("directory   \(fileSystem)")
        print("toolchain   \(toolchain); revision \(revision)")
        if loadAverage > 0.3 {
            print("LOAD        \(Format.fixed(loadAverage, 2)) before this run: others share the machine")
        }
        print("clock       \(Format.fixed(clockNanoseconds, 0)) ns per reading, one per operation, inside all figures")
    }

    private static var compiler: String {
        #if compiler(>=6.3)
            "Swift 6.3 or newer"
        #else
            "Swift before 6.3"
        #endif
    }

    private static var processorName: String {
        #if canImport(Darwin)
            var size = 0
            guard unsafe sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return "unknown" }
            var name = [UInt8](repeating: 0, count: size)
            guard unsafe sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return "unknown" }
            return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #else
            let line = TextFile.lines("/proc/cpuinfo").first { $0.hasPrefix("model name") }
            let name = line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
            return name ?? "unknown"
        #endif
    }

    private static var kernelName: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "unknown" }
        return "\(text(of: name.sysname)) \(text(of: name.release)) \(text(of: name.machine))"
    }

    /// A C string in a fixed array.
    private static func text<Field>(of field: Field) -> String {
        unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Type, device and flags of the mount that holds `directory`.
    private static func fileSystem(of directory: String) -> String {
        let mounts = TextFile.lines("/proc/mounts").map { $0.split(separator: " ") }.filter { $0.count >= 4 }
        let holder =
            mounts.filter { (directory + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
            .max { $0[1].count < $1[1].count }
        guard let holder else { return directory }
        return "\(directory) on \(holder[2]) (\(holder[0]), \(holder[3]))"
    }
}
