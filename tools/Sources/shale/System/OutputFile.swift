import ShaleEngine

/// Creates files named in arguments. They contain data or information about it, so only this user may read them, and
/// links that another user has put there are not followed.
enum OutputFile {
    private static let mode: mode_t = 0o600

    /// Creates or replaces the file `path` with `bytes`. A reader sees the old file or the complete new one, even after
    /// a power loss. Anything but a regular file, such as a link or a device, is refused.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let (parent, name) = try place(path)
        let directory = try openDirectory(parent)
        defer { _ = close(directory) }
        var status = stat()
        if unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { try requireRegular(status, path) }
        let temporary = ".shale-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe openat(directory, temporary, flags, mode)
        guard descriptor >= 0 else { throw ToolFailure.system("open", path) }
        do {
            try fill(descriptor, bytes, path)
            guard unsafe renameat(directory, temporary, directory, name) == 0 else {
                throw ToolFailure.system("rename", path)
            }
        } catch {
            unsafe _ = unlinkat(directory, temporary, 0)
            throw error
        }
        guard fsync(directory) == 0 else { throw ToolFailure.system("fsync", parent) }
    }

    /// Opens the file `path` for appending, and creates it if it does not exist. Only a regular file of this user
    /// without another name is accepted.
    static func openAppending(_ path: String) throws -> Int32 {
        let (parent, _) = try place(path)
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let descriptor = unsafe open(path, flags, mode)
        if descriptor < 0, errno == ELOOP {
            throw ToolFailure.inputOutput("\(path) is a symbolic link, which is not followed")
        }
        guard descriptor >= 0 else { throw ToolFailure.system("open", path) }
        do {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw ToolFailure.system("fstat", path) }
            try requireRegular(status, path)
            guard status.st_nlink == 1, status.st_uid == geteuid() else {
                throw ToolFailure.inputOutput(
                    "\(path) has another hard link or belongs to another user: it is not appended to")
            }
            let directory = try openDirectory(parent)
            defer { _ = close(directory) }
            guard fsync(directory) == 0 else { throw ToolFailure.system("fsync", parent) }
            return descriptor
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    private static func fill(_ descriptor: Int32, _ bytes: [UInt8], _ path: String) throws {
        defer { _ = close(descriptor) }
        // The umask may have removed the owner's permissions.
        guard fchmod(descriptor, mode) == 0 else { throw ToolFailure.system("fchmod", path) }
        try writeFully(bytes, to: descriptor, named: path)
        guard fsync(descriptor) == 0 else { throw ToolFailure.system("fsync", path) }
    }

    private static func openDirectory(_ path: String) throws -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolFailure.system("open", path) }
        return descriptor
    }

    private static func requireRegular(_ status: stat, _ path: String) throws {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure.inputOutput(
                "\(path) exists and is not a regular file: it is neither followed nor replaced")
        }
    }

    /// Returns the directory of a path and the name in it.
    private static func place(_ path: String) throws -> (parent: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        guard !name.isEmpty else { throw ToolFailure.inputOutput("\(path) is a directory") }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
    }
}

/// A directory in which a command makes something, restored to its previous state if the command fails.
struct NewDirectory {
    private enum Before { case absent, empty, filled }

    private let path: String
    private let before: Before

    /// Records the state of `path` before anything is made there.
    init(_ path: String) {
        self.path = path
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            // If the path can't be examined for another reason, there is nothing to clean up.
            before = errno == ENOENT ? .absent : .filled
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR, let names = try? directoryEntries(of: path) else {
            before = .filled
            return
        }
        before = names.isEmpty ? .empty : .filled
    }

    /// Removes what was made since, after a failure. A directory that contained something before, has become a store,
    /// or is locked by another process is left alone.
    func restore(after failure: StorageError) throws {
        var status = stat()
        guard before != .filled, failure.code != .locked, unsafe lstat("\(path)/CURRENT", &status) != 0,
            unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR
        else { return }
        if before == .absent { return try removeTree(path) }
        try removeContent(of: path)
    }
}
