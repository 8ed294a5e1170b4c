import Posix
import Testing

/// A temporary directory for one test. It is removed at the end.
final class Place {
    let path: String

    init() throws { path = try makeTemporaryDirectory(prefix: "shale-sync-server") }

    /// Writes a file with a mode. Returns its path.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws(SystemCallError) -> String {
        let file = path + "/" + name
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0, fchmod(descriptor, mode) == 0 else { throw SystemCallError("open", file) }
        defer { _ = close(descriptor) }
        try writeFully(Array(text.utf8), to: descriptor, named: file)
        return file
    }

    deinit {
        do throws(SystemCallError) { try removeTree(path) } catch { Issue.record("\(path) stays: \(error)") }
    }
}
