package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// Small files that only this user can access.
package enum PrivateFile {
    private static let othersBits: mode_t = 0o077

    /// Returns the first `limit` bytes of a regular file that belongs to this user and is closed to all others.
    ///
    /// Does not follow a symbolic link in the last component.
    ///
    /// - Throws: `EPERM` if the file does not meet these conditions.
    package static func read(_ path: String, limit: Int) throws(IOFailure) -> [UInt8] {
        let descriptor = try Descriptor(
            openedAt: path, flags: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, path)
        let status = try descriptor.status(path)
        guard status.isRegular, status.owner == geteuid(), status.permissions & othersBits == 0 else {
            throw IOFailure("open", path, EPERM)
        }
        // Allocated in full size: growing would leave copies of secrets in freed memory.
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let length = try SystemCall.run("read", path) {
                unsafe bytes.withUnsafeMutableBytes { (buffer) in
                    unsafe pread(
                        descriptor.number, buffer.baseAddress.map { unsafe $0 + count }, limit - count, off_t(count))
                }
            }
            if length == 0 { break }
            count += length
        }
        bytes.removeLast(limit - count)
        return bytes
    }

    /// Creates a file with mode 0600, durably. Throws `EEXIST` if the name exists.
    package static func create(_ path: String, _ bytes: Bytes) throws(IOFailure) {
        let number = try SystemCall.run("open", path) {
            unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600 as mode_t)
        }
        let descriptor = Descriptor(number)
        try descriptor.setPermissions(0o600, path)
        var count = 0
        while count < bytes.count {
            let rest = bytes.suffix(from: count)
            count += try SystemCall.run("write", path) { unsafe write(descriptor.number, rest.start, rest.count) }
        }
        _ = try SystemCall.run("fsync", path) { fsync(descriptor.number) }
        let directory = try Descriptor(openedAt: parent(of: path), flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, path)
        _ = try SystemCall.run("fsync", path) { fsync(directory.number) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
