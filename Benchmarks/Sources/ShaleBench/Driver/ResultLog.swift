#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A result file that is being written: measured rows stay, whatever happens afterwards.
final class ResultLog {
    let path: String
    private let descriptor: Int32

    /// Creates the file, replacing an older one at `path`.
    init(path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchError.system("open", path, errno) }
    }

    deinit { close(descriptor) }

    func append(_ line: ResultLine) throws {
        try StandardStream.write(String(decoding: line.encoded(), as: UTF8.self), to: descriptor)
    }
}
