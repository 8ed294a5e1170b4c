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

/// A directory for a store on the machine's disk, under $TMPDIR, removed with this object.
final class TemporaryStore {
    private let parent: String
    var path: String { parent + "/store" }

    init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array(FileName.join(base, "shale-beside-XXXXXX").utf8CString)
        parent = try #require(
            unsafe template.withUnsafeMutableBufferPointer { buffer in
                unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
            })
    }

    deinit {
        do {
            let directory = try PosixFileSystem().openDirectory(parent, create: false)
            try TemporaryStore.empty(directory)
            unsafe rmdir(parent)
        } catch {
            Issue.record("could not remove \(parent): \(error)")
        }
    }

    private static func empty(_ directory: any Directory) throws {
        for name in try directory.list() {
            do throws(IOFailure) {
                try directory.remove(name)
            } catch {
                guard error.isWrongKind else { throw error }
                try empty(directory.openDirectory(name, create: false))
                try directory.removeDirectory(name)
            }
        }
    }
}
