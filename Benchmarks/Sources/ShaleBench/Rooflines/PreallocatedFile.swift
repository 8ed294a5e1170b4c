import Posix

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
