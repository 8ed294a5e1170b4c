import Posix

/// The minimal cost of making a number of bytes durable: writing them to files as large as segments, and syncing each.
struct DurableFiles {
    private static let fileBytes = 32 << 20
    private static let pieceBytes = 256 << 10

    let directory: String
    let byteCount: Int

    /// Returns the duration in seconds.
    func measure() throws -> Double {
        // Incompressible content, in case that a lower layer compresses.
        var state: UInt64 = 1
        let piece = (0..<DurableFiles.pieceBytes).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let began = Clock.now
        for start in stride(from: 0, to: byteCount, by: DurableFiles.fileBytes) {
            try write(piece, count: min(byteCount - start, DurableFiles.fileBytes))
        }
        return Clock.seconds(since: began)
    }

    private func write(_ piece: [UInt8], count: Int) throws {
        let path = directory + "/roofline"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        defer {
            unsafe unlink(path)
            close(descriptor)
        }
        for offset in stride(from: 0, to: count, by: piece.count) {
            let written = unsafe piece.withUnsafeBytes { bytes in
                unsafe pwrite(descriptor, bytes.baseAddress, min(bytes.count, count - offset), off_t(offset))
            }
            guard written > 0 else { throw SystemCallError("pwrite", path) }
        }
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw SystemCallError("F_FULLFSYNC", path) }
        #else
            guard fdatasync(descriptor) == 0 else { throw SystemCallError("fdatasync", path) }
        #endif
    }
}

/// A new file whose blocks are allocated, like a log's. It is removed with its object.
final class PreallocatedFile: Sendable {
    let path: String
    let descriptor: Int32

    init(path: String, byteCount: Int) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
        #if canImport(Darwin)
            let status = ftruncate(descriptor, off_t(byteCount)) == 0 ? 0 : errno
        #else
            let status = posix_fallocate(descriptor, 0, off_t(byteCount))
        #endif
        guard status == 0 else { throw SystemCallError("posix_fallocate", path, status) }
        guard fsync(descriptor) == 0 else { throw SystemCallError("fsync", path) }
    }

    deinit {
        unsafe unlink(path)
        close(descriptor)
    }

    @inline(__always)
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        let written = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        guard written == bytes.count else { throw SystemCallError("pwrite", path) }
    }

    /// Performs the strongest sync that the engine uses on this platform.
    func sync() throws {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw SystemCallError("F_FULLFSYNC", path) }
        #else
            guard fdatasync(descriptor) == 0 else { throw SystemCallError("fdatasync", path) }
        #endif
    }
}
