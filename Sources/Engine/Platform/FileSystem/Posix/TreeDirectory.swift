package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An entry of a directory that does not belong to the store.
///
/// Its name is kept as raw bytes: repaired as text, it would name nothing or another file.
package struct TreeItem: Sendable {
    package enum Kind: Sendable {
        case file, link, directory
        /// A socket, pipe or device.
        case other
    }

    /// The name, terminated by 0.
    let name: [CChar]
    package let kind: Kind
    /// The bytes that removal would free: 0 while the file has other names.
    package let freeableBytes: UInt64
    /// The time of the last change of the contents, in milliseconds since 1970.
    package let modifiedMilliseconds: Int64
    let device: UInt64

    /// The name as text. Bytes that are not UTF-8 are replaced.
    package var text: String { DirectoryNames.text(name) }

    /// The raw bytes of the name.
    package var bytes: [UInt8] { name.dropLast().map(UInt8.init(bitPattern:)) }
}

/// A directory of the application, held open by its descriptor, for listing and removing.
///
/// Nothing below the opened directory is looked up by path, and no link is followed. Whatever is moved or swapped
/// meanwhile, only entries inside the directory are removed.
package final class TreeDirectory: Sendable {
    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// The path, for errors.
    package let path: String
    private let descriptor: Descriptor
    private let device: UInt64

    private init(_ descriptor: Descriptor, _ path: String) throws(IOFailure) {
        self.descriptor = descriptor
        self.path = path
        device = try descriptor.status(path).identity.device
    }

    /// Opens the directory at `path`, following symbolic links, including one at `path` itself.
    package convenience init(openedAt path: String) throws(IOFailure) {
        try self.init(try Descriptor(openedAt: path, flags: TreeDirectory.flags, path), path)
    }

    private func label(_ item: TreeItem) -> String { FileName.join(path, item.text) }

    package func open(_ item: TreeItem) throws(IOFailure) -> TreeDirectory {
        let number = try SystemCall.run("open", label(item)) {
            unsafe openat(descriptor.number, item.name, TreeDirectory.flags | O_NOFOLLOW)
        }
        return try TreeDirectory(Descriptor(number), label(item))
    }

    /// The failure of descending deeper than the caller allows.
    package var tooDeep: IOFailure { IOFailure("open", path, ELOOP) }

    /// Returns true if the entry is on the same file system, and not behind a mount point.
    package func holds(_ item: TreeItem) -> Bool { item.device == device }

    /// Returns the directory's entries, unordered. Entries that disappear meanwhile are left out.
    package func items() throws(IOFailure) -> [TreeItem] {
        var items: [TreeItem] = []
        for name in try DirectoryNames.list(descriptor, path) {
            var status = stat()
            if unsafe fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
                items.append(TreeItem(name: name, status))
            } else if errno != ENOENT {
                throw IOFailure("stat", path, errno)
            }
        }
        return items
    }

    /// Removes a file, a link (not its target), or an empty directory.
    package func remove(_ item: TreeItem) throws(IOFailure) {
        let flags = item.kind == .directory ? AT_REMOVEDIR : 0
        _ = try SystemCall.run("remove", label(item)) { unsafe unlinkat(descriptor.number, item.name, flags) }
    }
}

extension TreeItem {
    fileprivate init(name: [CChar], _ status: stat) {
        self.name = name
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFLNK: .link
            case S_IFDIR: .directory
            default: .other
            }
        // `st_blocks` counts 512-byte units on every system, whatever the block size.
        freeableBytes = status.st_nlink > 1 && kind != .directory ? 0 : UInt64(max(0, status.st_blocks)) * 512
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        modifiedMilliseconds = Int64(modified.tv_sec) * 1000 + Int64(modified.tv_nsec) / 1_000_000
        device = UInt64(truncatingIfNeeded: status.st_dev)
    }
}
