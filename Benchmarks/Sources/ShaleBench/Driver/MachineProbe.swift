import Posix
import SystemLMDB
import SystemLevelDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Determines the machine and the versions with which a run measures.
struct MachineProbe {
    let directory: String
    let preset: String
    let peers: [PeerName]

    func measure() throws -> ResultMachine {
        let environment = ProcessInfo.processInfo.environment
        let mount = mount
        var load = [0.0]
        let hasLoad = unsafe getloadavg(&load, 1) == 1
        return ResultMachine(
            cpu: processorName, cores: ProcessInfo.processInfo.activeProcessorCount, kernel: kernelName,
            fileSystem: mount.map { "\($0[2]) (\($0[3]))" } ?? "unknown",
            device: mount.map { String($0[0]) } ?? "unknown",
            memoryBytes: ProcessInfo.processInfo.physicalMemory,
            compiler: environment["SHALE_BENCH_TOOLCHAIN"] ?? "unknown",
            revision: environment["SHALE_BENCH_REVISION"] ?? "unknown",
            flags: "-O, whole module (swift build -c release)", date: Date().ISO8601Format(),
            fsyncMicroseconds: try syncLatency(), versions: versions(environment),
            settings: Dictionary(uniqueKeysWithValues: peers.map { ($0.rawValue, $0.summary) }), preset: preset,
            clockNanoseconds: Clock.measureCost(), loadAverage: hasLoad ? load[0] : nil)
    }

    private func versions(_ environment: [String: String]) -> [String: String] {
        var versions: [String: String] = [:]
        for peer in peers {
            versions[peer.rawValue] =
                switch peer {
                case .shale: environment["SHALE_BENCH_REVISION"] ?? "unknown"
                case .leveldb: LevelDBPeer.version
                case .rocksdb: RocksDBPeer.version
                case .lmdb: LMDBPeer.version
                case .sqlite: SQLiteConnection.version
                case .grdb: "7.10.0"
                case .userdefaults, .files: "Foundation of " + (environment["SHALE_BENCH_TOOLCHAIN"] ?? "unknown")
                }
        }
        return versions
    }

    /// Measures the latency of an append of 4 KiB with `fdatasync`.
    private func syncLatency() throws -> ResultFsync {
        let (blockBytes, rounds) = (4096, 200)
        let file = try PreallocatedFile(path: directory + "/fsync", byteCount: blockBytes * rounds)
        let block = [UInt8](repeating: 0x5a, count: blockBytes)
        var times: [Double] = []
        for round in 0..<rounds {
            let began = Clock.now
            try unsafe block.withUnsafeBytes { try unsafe file.write($0, at: round * blockBytes) }
            try file.sync()
            times.append(Clock.seconds(since: began) * 1e6)
        }
        times.sort()
        return ResultFsync(p50: times.median, p99: times[rounds * 99 / 100])
    }

    private var processorName: String {
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

    private var kernelName: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "unknown" }
        return "\(text(of: name.sysname)) \(text(of: name.release)) \(text(of: name.machine))"
    }

    /// Converts a C string in a fixed array.
    private func text<Field>(of field: Field) -> String {
        unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The device, path, type and flags of the mount that contains the directory.
    private var mount: [Substring]? {
        let mounts = TextFile.lines("/proc/mounts").map { $0.split(separator: " ") }.filter { $0.count >= 4 }
        return
            mounts.filter { (directory + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
            .max { $0[1].count < $1[1].count }
    }
}
