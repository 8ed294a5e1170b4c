#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A result file that is being written: what was measured stays, whatever happens afterwards.
final class ResultLog {
    let path: String
    private let descriptor: Int32

    /// An older file at `path` is replaced.
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
