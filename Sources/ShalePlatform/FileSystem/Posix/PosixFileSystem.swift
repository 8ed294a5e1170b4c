package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// The machine's file system, through libc alone: Foundation's calls open without O_CLOEXEC, make files that everybody
/// can read, and rename without syncing the directory.
package final class PosixFileSystem: FileSystem {
    package init() {}

    package func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        let path = PosixFileSystem.withoutTrailingSlashes(path)
        guard create, try !PosixFileSystem.exists(path) else {
            return try PosixDirectory(openedAt: path, path: path, isRoot: true)
        }
        // A link above is followed here too, as it is in `path`.
        let parent = try Descriptor(
            openedAt: PosixFileSystem.parent(of: path), flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, path)
        let isNew = unsafe mkdir(path, 0o700) == 0
        if !isNew, errno != EEXIST { throw IOFailure("mkdir", path, errno) }
        let directory = try PosixDirectory(openedAt: path, path: path, isRoot: true)
        if isNew {
            do throws(IOFailure) {
                try directory.descriptor.setPermissions(0o700, path)
                _ = try PosixSync.directory(parent.number, path)
            } catch {
                // Otherwise a second attempt would find it, and take an unsynced name for a durable one.
                unsafe rmdir(path)
                throw error
            }
        }
        return directory
    }

    private static func exists(_ path: String) throws(IOFailure) -> Bool {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return true }
        guard errno == ENOENT else { throw IOFailure("lstat", path, errno) }
        return false
    }

    /// "a/b/" would follow a symbolic link b in spite of O_NOFOLLOW.
    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
