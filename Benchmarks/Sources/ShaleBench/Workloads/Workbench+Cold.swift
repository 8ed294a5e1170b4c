import Formatting
import Posix

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// readcold, scancold: reads from the device. Nothing of the store is in the page cache or in the peer's cache.
extension Workbench {
    /// Reads at random end here: one takes as long as the device does.
    private static let coldReadsMax = 20_000

    func readCold(_ step: Assignment.Step) throws {
        try cool()
        let (contents, threads) = (contents, step.threads)
        let reads = min(contents.count, assignment.operationsMax, Workbench.coldReadsMax)
        let reader = PointReader(
            contents: contents, range: contents.count, values: values, keyBytes: keyBytes, seed: seed &+ 6)
        let before = Resources.bytesRead
        var (row, _, _) = try measure(step, operations: reads) { index, session, began in
            try reader.hit(Workbench.share(index, of: threads, reads), session, began)
        }
        row.add(bytesReadSince: before)
        try emit(row)
    }

    /// Scans everything in order, from the device.
    func scanCold(_ step: Assignment.Step) throws {
        try cool()
        let count = contents.count
        let before = Resources.bytesRead
        var (row, _, _) = try measure(step, operations: count, threads: 1) { _, session, began in
            var recorder = LatencyRecorder(began: began)
            var position = 0
            try session.scan(from: RawSpan(), .forward) { _, value in
                recorder.touch(value)
                position &+= 1
                if position & 63 == 0 { recorder.finish(entries: 64) }
                return true
            }
            guard position == count else { throw BenchError.wrong("\(position) entries in a scan") }
            return recorder
        }
        row.add(bytesReadSince: before)
        try emit(row)
    }
}

extension ResultRow {
    /// Adds the bytes that the process caused to be read from the device since `start`.
    fileprivate mutating func add(bytesReadSince start: Int?) {
        guard let start, let now = Resources.bytesRead else { return }
        bytesRead = now - start
        note = "\(Format.grouped(Double(now - start) / Double(max(1, operations)))) bytes from the device each"
    }
}

/// The kernel's cache of files.
enum PageCache {
    /// Drops what the kernel keeps of the files below a directory, which must all be durable.
    static func evict(_ directory: String) throws {
        #if os(Linux)
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
                let path = directory + "/" + name
                let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { throw SystemCallError("open", path) }
                defer { Posix.close(file) }
                let status = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
                guard status == 0 || status == EISDIR || status == EINVAL else {
                    throw SystemCallError("posix_fadvise", path, status)
                }
            }
        #else
            throw BenchError("cold reads are measured on Linux only")
        #endif
    }
}
