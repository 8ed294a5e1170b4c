import Posix

/// A result file that is being written: measured rows stay, whatever happens afterwards.
final class ResultLog {
    let path: String
    private let descriptor: Int32

    /// Creates the file, replacing an older one at `path`.
    init(path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open", path) }
    }

    deinit { close(descriptor) }

    func append(_ line: ResultLine) throws {
        try writeFully([UInt8](line.encoded()), to: descriptor, named: path)
    }
}
