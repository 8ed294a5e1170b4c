import Posix

/// The minimal cost of recovery from a log: reading its records from the page cache and copying each to fresh memory.
struct LogRoofline {
    private static let pieceBytes = 1 << 20

    let directory: String
    let recordBytes: Int
    let records: Int

    /// Returns the rate in logs per second.
    func measure(passes: Int) throws -> Double {
        let piece = max(1, LogRoofline.pieceBytes / recordBytes)
        let pieces = (records + piece - 1) / piece
        let file = try PreallocatedFile(path: directory + "/roofline", byteCount: pieces * piece * recordBytes)
        let content = [UInt8](repeating: 0x5a, count: piece * recordBytes)
        for index in 0..<pieces {
            try unsafe content.withUnsafeBytes { try unsafe file.write($0, at: index * content.count) }
        }
        var best = Double.infinity
        for _ in 0..<passes { best = min(best, try pass(file, piece, pieces)) }
        return 1 / best
    }

    private func pass(_ file: PreallocatedFile, _ piece: Int, _ pieces: Int) throws -> Double {
        let pieceBytes = piece * recordBytes
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: pieceBytes, alignment: 64)
        let arenaBytes = pieces * pieceBytes
        let began = Clock.now
        let arena = UnsafeMutableRawPointer.allocate(byteCount: arenaBytes, alignment: 64)
        defer {
            unsafe buffer.deallocate()
            unsafe arena.deallocate()
        }
        var target = unsafe arena
        for index in 0..<pieces {
            let count = unsafe pread(file.descriptor, buffer, pieceBytes, off_t(index * pieceBytes))
            guard count == pieceBytes else { throw SystemCallError("pread", file.path) }
            for record in 0..<piece {
                unsafe memcpy(target, buffer + record * recordBytes, recordBytes)
                unsafe target += recordBytes
            }
        }
        return Clock.seconds(since: began)
    }
}
