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
