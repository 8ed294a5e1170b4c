package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A directory held open by its descriptor. The store can be moved, and no name inside it is looked up by path.
package final class PosixDirectory: Directory {
    package let path: String
    package let identity: FileIdentity
    package let isOpenToOthers: Bool
    package let isPrivate: Bool
    let descriptor: Descriptor
    private let isRoot: Bool
    private let isReduced = Atomic(false)

    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    private init(_ descriptor: Descriptor, path: String, isRoot: Bool) throws(IOFailure) {
        let status = try descriptor.status(path)
        self.descriptor = descriptor
        self.path = path
        self.isRoot = isRoot
        identity = status.identity
        isOpenToOthers = status.permissions & 0o077 != 0
        isPrivate = !isOpenToOthers && status.owner == geteuid()
    }

    convenience init(openedAt location: String, path: String, isRoot: Bool) throws(IOFailure) {
        let opened = try Descriptor(openedAt: location, flags: PosixDirectory.flags, path)
        try self.init(opened, path: path, isRoot: isRoot)
    }

    /// Returns the name of a file for errors, relative to the store inside its subdirectories.
    func label(_ name: String) -> String { FileName.join(path, name) }

    func check(_ operation: String, _ name: String) throws(IOFailure) {
        guard FileName.isValid(name) else { throw IOFailure(operation, label(name), EINVAL) }
    }

    // MARK: - Opening

    package func create(_ name: String) throws(IOFailure) -> any WritableFile {
        try check("create", name)
        return PosixWritableFile(try createFile(name, "create"), name: name, label: label(name))
    }

    private func createFile(_ name: String, _ operation: String) throws(IOFailure) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = try SystemCall.run(operation, label(name)) {
            unsafe openat(descriptor.number, name, flags, 0o600)
        }
        let file = Descriptor(number)
        try file.setPermissions(PlantedBug.isActive(.openFilesToAll) ? 0o644 : 0o600, label(name))
        return file
    }

    package func open(_ name: String) throws(IOFailure) -> any ReadableFile {
        try check("open", name)
        // O_NONBLOCK: the open of a FIFO with this name must not wait for a writer. Regular files ignore the flag.
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = try SystemCall.run("open", label(name)) { unsafe openat(descriptor.number, name, flags) }
        let file = Descriptor(number)
        try requireRegular(file, name)
        return PosixReadableFile(file, name: name, label: label(name))
    }

    package func reopen(_ name: String) throws(IOFailure) -> any WritableFile {
        try check("open", name)
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let number = try SystemCall.run("open", label(name)) { unsafe openat(descriptor.number, name, flags) }
        let file = Descriptor(number)
        try requireRegular(file, name)
        return PosixWritableFile(file, name: name, label: label(name))
    }

    package func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory {
        try check("open", name)
        let isNew = create ? try makeDirectory(name) : false
        let number = try SystemCall.run("open", label(name)) {
            unsafe openat(descriptor.number, name, PosixDirectory.flags)
        }
        let opened = Descriptor(number)
        if isNew { try opened.setPermissions(0o700, label(name)) }
        return try PosixDirectory(opened, path: isRoot ? name : label(name), isRoot: false)
    }

    /// Makes a directory with mode 0700. Returns false if the name existed.
    private func makeDirectory(_ name: String) throws(IOFailure) -> Bool {
        do throws(IOFailure) {
            _ = try SystemCall.run("mkdir", label(name)) { unsafe mkdirat(descriptor.number, name, 0o700) }
            return true
        } catch {
            guard error.errorNumber == EEXIST else { throw error }
            return false
        }
    }

    package func lock(_ name: String) throws(IOFailure) -> any FileLock {
        try check("lock", name)
        let file = try openOrCreate(name)
        try requireRegular(file, name)
        let lock = try PosixFileLock(file, name, in: descriptor, label: label(name))
        // The file may have been replaced between open and lock.
        try lock.verify()
        return lock
    }

    package func openHolds(_ name: String) throws(IOFailure) -> any FileHolds {
        try check("lock", name)
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = Descriptor(try SystemCall.run("lock", label(name)) { unsafe openat(descriptor.number, name, flags) })
        try requireRegular(file, name)
        return try PosixFileHolds(file, name, in: descriptor, label: label(name))
    }

    /// Opens or creates a lock file. Lock files are never removed, so a file that exists can be opened afterwards.
    private func openOrCreate(_ name: String) throws(IOFailure) -> Descriptor {
        do throws(IOFailure) {
            return try createFile(name, "lock")
        } catch {
            guard error.errorNumber == EEXIST else { throw error }
        }
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return Descriptor(try SystemCall.run("lock", label(name)) { unsafe openat(descriptor.number, name, flags) })
    }

    private func requireRegular(_ file: Descriptor, _ name: String) throws(IOFailure) {
        let status = try file.status(label(name))
        guard status.isRegular else {
            throw IOFailure("open", label(name), status.isDirectory ? EISDIR : EINVAL)
        }
    }

    // MARK: - Names

    package func exists(_ name: String) throws(IOFailure) -> Bool {
        try check("stat", name)
        do throws(IOFailure) {
            _ = try FileStatus(of: name, in: descriptor, label(name))
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    package func allocatedBytes(of name: String) throws(IOFailure) -> UInt64 {
        try check("stat", name)
        var status = stat()
        guard unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw IOFailure("stat", label(name), errno)
        }
        // `st_blocks` counts 512-byte units on every system, whatever the block size.
        return UInt64(max(0, status.st_blocks)) * 512
    }

    package func list() throws(IOFailure) -> [String] {
        try DirectoryNames.list(descriptor, path).map(DirectoryNames.text).sorted()
    }

    package func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try check("rename", name)
        try check("rename", newName)
        let other = try posix(target, "rename", name)
        _ = try SystemCall.run("rename", label(name)) {
            unsafe renameat(descriptor.number, name, other.descriptor.number, newName)
        }
    }

    package func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try check("link", name)
        try check("link", newName)
        let other = try posix(target, "link", name)
        _ = try SystemCall.run("link", label(name)) {
            unsafe linkat(descriptor.number, name, other.descriptor.number, newName, 0)
        }
    }

    private func posix(
        _ target: any Directory, _ operation: String, _ name: String
    ) throws(IOFailure) -> PosixDirectory {
        guard let other = target as? PosixDirectory else { throw IOFailure(operation, label(name), EXDEV) }
        return other
    }

    package func remove(_ name: String) throws(IOFailure) {
        try check("remove", name)
        do throws(IOFailure) {
            _ = try SystemCall.run("remove", label(name)) { unsafe unlinkat(descriptor.number, name, 0) }
        } catch {
            // POSIX specifies EPERM, and Darwin returns it, but EPERM can have other causes.
            guard error.errorNumber == EPERM, try FileStatus(of: name, in: descriptor, label(name)).isDirectory else {
                throw error
            }
            throw IOFailure("remove", label(name), EISDIR)
        }
    }

    package func removeDirectory(_ name: String) throws(IOFailure) {
        try check("remove", name)
        _ = try SystemCall.run("remove", label(name)) {
            unsafe unlinkat(descriptor.number, name, AT_REMOVEDIR)
        }
    }

    // MARK: - The directory as a whole

    package func sync() throws(IOFailure) {
        if try PosixSync.directory(descriptor.number, path) == .reduced { isReduced.store(true, ordering: .relaxed) }
    }

    package var durabilityIsReduced: Bool { isReduced.load(ordering: .relaxed) }

    package func freeBytes() throws(IOFailure) -> UInt64 {
        var status = statvfs()
        _ = try SystemCall.run("statvfs", path) { unsafe fstatvfs(descriptor.number, &status) }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }
}

/// Directory listings.
enum DirectoryNames {
    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    /// Returns a name as text. Bytes that are not UTF-8 are replaced.
    static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the names in a directory as raw bytes, each terminated by 0, unordered.
    static func list(_ directory: Descriptor, _ path: String) throws(IOFailure) -> [[CChar]] {
        // Opens a description of its own: a duplicate would share the read position with other listings.
        let number = try SystemCall.run("list", path) { unsafe openat(directory.number, ".", flags) }
        guard let stream = unsafe fdopendir(number) else {
            let failure = IOFailure("list", path, errno)
            _ = Descriptor(number)
            throw failure
        }
        defer { unsafe closedir(stream) }
        let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let dots: [[CChar]] = [[46, 0], [46, 46, 0]]
        var names: [[CChar]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let text = unsafe (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
            let name = unsafe Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
            if !dots.contains(name) { names.append(name) }
        }
        if errno != 0 { throw IOFailure("list", path, errno) }
        return names
    }
}
