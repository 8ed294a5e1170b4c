package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// The machine's file system, through libc alone.
///
/// Foundation's calls open without O_CLOEXEC, create world-readable files, and rename without syncing the directory.
package final class PosixFileSystem: FileSystem {
    package init() {}

    package func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        let path = PosixFileSystem.withoutTrailingSlashes(path)
        guard create, try !PosixFileSystem.exists(path) else {
            return try PosixDirectory(openedAt: path, path: path, isRoot: true)
        }
        // Follows symbolic links above the last component, as opening `path` does.
        let parent = try Descriptor(
            openedAt: PosixFileSystem.parent(of: path), flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, path)
        let isNew = try PosixFileSystem.make(path)
        let directory = try PosixDirectory(openedAt: path, path: path, isRoot: true)
        if isNew {
            do throws(IOFailure) {
                try directory.descriptor.setPermissions(0o700, path)
                _ = try PosixSync.directory(parent.number, path)
            } catch {
                // Without the removal, a second attempt would find the directory and take its unsynced name for a
                // durable one.
                unsafe rmdir(path)
                throw error
            }
        }
        return directory
    }

    /// Syncs the parents up to the top of the file system that holds `path`: the name of a mount point is its owner's
    /// responsibility.
    ///
    /// If a parent can't be opened for lack of permission, syncs the whole file system instead.
    package func syncNames(above path: String) throws(IOFailure) {
        let path = PosixFileSystem.withoutTrailingSlashes(path)
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let directory = try Descriptor(openedAt: path, flags: flags, path)
        let device = try directory.status(path).identity.device
        var child = directory
        while true {
            let parent: Descriptor
            do throws(IOFailure) {
                let number = try SystemCall.run("open", path) { unsafe openat(child.number, "..", flags) }
                parent = Descriptor(number)
            } catch {
                guard error.isPermission else { throw error }
                return try PosixSync.fileSystem(directory.number, path)
            }
            let identity = try parent.status(path).identity
            let ownIdentity = try child.status(path).identity
            guard identity.device == device, identity != ownIdentity else { return }
            _ = try PosixSync.directory(parent.number, path)
            child = parent
        }
    }

    /// Makes a directory with mode 0700. Returns false if it existed.
    private static func make(_ path: String) throws(IOFailure) -> Bool {
        do throws(IOFailure) {
            _ = try SystemCall.run("mkdir", path) { unsafe mkdir(path, 0o700) }
            return true
        } catch {
            guard error.errorNumber == EEXIST else { throw error }
            return false
        }
    }

    private static func exists(_ path: String) throws(IOFailure) -> Bool {
        var status = stat()
        do throws(IOFailure) {
            _ = try SystemCall.run("lstat", path) { unsafe lstat(path, &status) }
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// Removes trailing slashes: "a/b/" would follow a symbolic link b in spite of O_NOFOLLOW.
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
