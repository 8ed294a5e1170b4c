import Posix

/// The limits of the machine, measured during the run and on the file system of the stores.
struct Rooflines {
    /// The overhead of a log: a chunk header of 20 bytes and a batch header of 16 per batch, and 12 bytes per key and
    /// value; or 28 bytes per commit of one entry (DESIGN.md, "Record log" and "Batch"). The peers' overheads differ by
    /// a few bytes.
    private static let commitBytes = 36
    private static let operationBytes = 12
    private static let singleBytes = 28

    let directory: String
    let settings: PeerSettings
    let run: Int

    /// Measures memory and codecs, once per repetition.
    func machine(seed: UInt64) throws -> [ResultRoofline] {
        let values = ValuePool(valueBytes: settings.valueBytes, seed: seed)
        let codecs = try DecompressionRoofline(values: values, keyBytes: settings.keyBytes).measure(passes: 3)
        return [
            roofline("memcpy", MemoryRoofline.measure(passes: 3)), roofline("lz4", codecs.lz4),
            roofline("zstd", codecs.zstd), roofline("log parse", try logParse()),
        ]
    }

    /// Measures the file system for the workloads of `steps`, around each child process.
    func fileSystem(for steps: [Assignment.Step]) throws -> [ResultRoofline] {
        // Entries of another size have a separate roofline.
        let size = settings.entryBytes == PeerSettings().entryBytes ? "" : " of \(settings.entryBytes) bytes"
        var results = [roofline("write(2)" + size, try write(entries: 1))]
        if steps.contains(where: { $0.workload == .fillbatch }) {
            let entries = Workbench.batchEntries
            results.append(roofline("write(2) of \(entries)", try write(entries: entries) * Double(entries)))
        }
        for step in steps where step.workload == .fillsync {
            let sync = SyncRoofline(directory: directory, recordBytes: recordBytes(1))
            var result = roofline(
                "fdatasync", try sync.measure(threads: step.threads, commits: 3000 * min(step.threads, 10)))
            result.threads = step.threads
            results.append(result)
        }
        return results
    }

    private func roofline(_ name: String, _ perSecond: Double) -> ResultRoofline {
        ResultRoofline(run: run, name: name, perSecond: perSecond)
    }

    /// Measures reading a log as long as a write buffer, as `crashreopen` does.
    private func logParse() throws -> Double {
        let log = LogRoofline(
            directory: directory, recordBytes: recordBytes(1), records: settings.writeBufferBytes / recordBytes(1))
        return try log.measure(passes: 3)
    }

    private func write(entries: Int) throws -> Double {
        try WriteRoofline(directory: directory, recordBytes: recordBytes(entries)).measure(passes: 3).median
    }

    private func recordBytes(_ entries: Int) -> Int {
        if entries == 1 { return Rooflines.singleBytes + settings.entryBytes }
        return Rooflines.commitBytes + entries * (Rooflines.operationBytes + settings.entryBytes)
    }
}

/// The rate at which the file system takes one record per `pwrite(2)`. No engine that passes every commit to the page
/// cache with a system call can be faster.
struct WriteRoofline {
    let directory: String
    let recordBytes: Int

    /// About 32 MB: the longest pass that the device does not affect.
    private var records: Int { max(64, 32_000_000 / recordBytes) }

    /// Returns the records per second of several passes, each into a new preallocated file.
    func measure(passes: Int) throws -> [Double] { try (0..<passes).map { _ in try pass() } }

    private func pass() throws -> Double {
        let file = try PreallocatedFile(
            path: directory + "/roofline", byteCount: records * recordBytes)
        let record = [UInt8](repeating: 0x5a, count: recordBytes)
        let began = Clock.now
        try unsafe record.withUnsafeBytes { record in
            for index in 0..<records { try unsafe file.write(record, at: index * recordBytes) }
        }
        return Double(records) / Clock.seconds(since: began)
    }
}

/// The rate of copying memory.
enum MemoryRoofline {
    /// Returns the bytes copied per second, the best of `passes` over 64 MiB.
    static func measure(passes: Int) -> Double {
        let byteCount = 64 << 20
        let source = [UInt8](repeating: 0x5a, count: byteCount)
        var copy = [UInt8](repeating: 0, count: byteCount)
        var best = 0.0
        for _ in 0..<passes {
            let began = Clock.now
            unsafe source.withUnsafeBytes { source in
                unsafe copy.withUnsafeMutableBytes { copy in
                    guard let from = source.baseAddress, let to = copy.baseAddress else { return }
                    unsafe memcpy(to, from, byteCount)
                }
            }
            best = max(best, Double(byteCount) / Clock.seconds(since: began))
        }
        return best
    }
}
