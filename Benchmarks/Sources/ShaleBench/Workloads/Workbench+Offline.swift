import Formatting
import Posix
import ShaleEngine
import ShaleMaintenance

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// verify, dump, load: the offline tool on a store that no process has open. Shale only. Each alternates with its
/// roofline, if it has one, on the same data.
extension Workbench {
    private static let rounds = 5

    func verifyOffline(_ step: Assignment.Step) throws {
        try offline(step) {
            let roofline = try BlockRoofline(storeAt: assignment.directory)
            var entries: UInt64 = 0
            let times = try takingTurns {
                try roofline.measure(threads: step.threads)
            } with: {
                let began = Clock.now
                let found = try Maintenance.verify(storeAt: assignment.directory, threads: step.threads)
                guard found.problems.isEmpty else { throw BenchError.wrong("\(found.problems)") }
                entries = found.entries
                return Clock.seconds(since: began)
            }
            var row = row(step.workload, operations: Int(entries), seconds: times.ours)
            row.threads = step.threads
            row.rooflinePerSecond = Double(entries) / times.theirs
            let rate = Double(roofline.rawBytes) / 1e6
            row.note =
                "\(Format.fixed(rate / times.ours, 0)) MB/s raw, reading, sums and decompression alone "
                + "\(Format.fixed(rate / times.theirs, 0)): \(Format.ratio(times.theirs / times.ours))"
            return row
        }
    }

    /// Dumps to no output.
    func dumpOffline(_ step: Assignment.Step) throws {
        try offline(step) {
            var bytes = 0
            var entries: UInt64 = 0
            let times = try (0..<Workbench.rounds).map { _ in
                let began = Clock.now
                entries = try Maintenance.dump(storeAt: assignment.directory) { bytes += $0.byteCount }
                return Clock.seconds(since: began)
            }
            return row(step.workload, operations: Int(entries), seconds: times.median)
        }
    }

    /// Loads from a file in the page cache.
    func loadOffline(_ step: Assignment.Step) throws {
        let (text, target) = (assignment.directory + ".ndjson", assignment.directory + ".loaded")
        try offline(step) {
            try DumpFile.dump(storeAt: assignment.directory, to: text)
            var entries: UInt64 = 0
            var storedBytes = 0
            let times = try takingTurns {
                try storedBytes == 0
                    ? 0 : DurableFiles(directory: assignment.directory, byteCount: storedBytes).measure()
            } with: {
                if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(atPath: target) }
                let began = Clock.now
                entries = try DumpFile.load(into: target, from: text)
                let seconds = Clock.seconds(since: began)
                storedBytes = Int(try DirectorySize(of: target).allocatedBytes)
                return seconds
            }
            var row = row(step.workload, operations: Int(entries), seconds: times.ours)
            row.rooflinePerSecond = Double(entries) / times.theirs
            row.note =
                "writing and syncing its \(Format.fixed(Double(storedBytes) / 1e6, 0)) MB alone takes "
                + Format.seconds(times.theirs)
            for path in [text, target] { try FileManager.default.removeItem(atPath: path) }
            return row
        }
    }

    /// Runs `body` on the store while it is closed.
    private func offline(_ step: Assignment.Step, _ body: () throws -> ResultRow) throws {
        guard peer is ShalePeer else { return }
        try settle()
        try close()
        Resources.resetPeak()
        let start = Start()
        var row = try body()
        row.cpuSeconds = (Resources.cpuSeconds - start.cpuSeconds) / Double(Workbench.rounds)
        row.peakResidentBytes = Resources.peakResidentBytes
        try open()
        try emit(row)
    }

    /// Alternates between the two. Returns the medians of the rounds in seconds.
    private func takingTurns(
        _ roofline: () throws -> Double, with body: () throws -> Double
    ) throws -> (ours: Double, theirs: Double) {
        // The first run of each is discarded: it reads what is not in the page cache yet.
        _ = try roofline()
        _ = try body()
        var ours: [Double] = []
        var theirs: [Double] = []
        for _ in 0..<Workbench.rounds {
            theirs.append(try roofline())
            ours.append(try body())
        }
        return (ours.median, theirs.median)
    }
}

/// Dumps in files.
enum DumpFile {
    private static let pieceBytes = 256 << 10

    static func dump(storeAt store: String, to path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        defer { close(descriptor) }
        var isWhole = true
        try Maintenance.dump(storeAt: store) { piece in
            unsafe piece.withUnsafeBytes { bytes in
                if unsafe write(descriptor, bytes.baseAddress, bytes.count) != bytes.count { isWhole = false }
            }
        }
        guard isWhole else { throw SystemCallError("write", path) }
        // Synced now: otherwise the file is written back during the load, and competes with the load's writes.
        guard fsync(descriptor) == 0 else { throw SystemCallError("fsync", path) }
    }

    /// Loads a dump. Returns the number of entries.
    static func load(into store: String, from path: String) throws -> UInt64 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        defer { close(descriptor) }
        return try Maintenance.load(into: store) {
            unsafe [UInt8](unsafeUninitializedCapacity: DumpFile.pieceBytes) { buffer, count in
                count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
        }
    }
}
