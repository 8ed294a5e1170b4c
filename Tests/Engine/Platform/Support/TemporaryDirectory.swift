import ShaleBase
import ShalePlatform
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// A directory under $TMPDIR that is removed with its content when this object is freed.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array(FileName.join(base, "shale-tests-XXXXXX").utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
        }
        path = try #require(made)
        // Sets the mode explicitly, because one test changes the umask of the process.
        unsafe chmod(path, 0o700)
    }

    deinit {
        do {
            try TemporaryDirectory.empty(PosixFileSystem().openDirectory(path, create: false), path)
            unsafe rmdir(path)
        } catch {
            Issue.record("could not remove \(path): \(error)")
        }
    }

    private static func empty(_ directory: any Directory, _ path: String) throws {
        for name in try directory.list() {
            let inner = FileName.join(path, name)
            if unsafe unlink(inner) == 0 { continue }
            try empty(directory.openDirectory(name, create: false), inner)
            unsafe rmdir(inner)
        }
    }
}
