package import ShaleBase
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file system in memory, for stores that need not outlive their object. Thread-safe.
///
/// It keeps the contract of ``FileSystem`` except for durability: a sync has nothing to do, and everything goes with
/// the last reference to the file system. It has no mapped files: logs use ``WritableFile/write(_:at:)``. One lock
/// guards all names; each file has a lock of its own.
package final class MemoryFileSystem: FileSystem {
    /// Every instance is a device of its own, so that directories of two instances differ. The numbers of real devices
    /// are below 2^32, and ``SimulatedFileSystem`` counts from there.
    private static let nextDevice = Atomic<UInt64>(1 << 48)
    /// The free space that the file system reports. It has no limit of its own.
    static let freeBytes: UInt64 = 1 << 40

    let device: UInt64
    private let lastNumber = Atomic<UInt64>(0)
    /// The names of all directories. A file's content has a lock of its own.
    fileprivate let names = Lock()
    private let root: MemoryFolder

    package init() {
        device = MemoryFileSystem.nextDevice.wrappingAdd(1, ordering: .relaxed).newValue
        root = MemoryFolder(number: 0)
    }

    fileprivate func makeNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Opens a directory. `path` starts at the root of the file system, with or without a leading slash. Missing
    /// directories above the last component are created: they stand for directories that existed before.
    package func openDirectory(_ path: String, create: Bool) throws(IOFailure) -> any Directory {
        let components = path.split(separator: "/").map(String.init)
        let folder = try names.withLock { () throws(IOFailure) in
            var folder = root
            for (index, name) in components.enumerated() {
                switch folder.nodes[name] {
                case .folder(let inner): folder = inner
                case .file: throw IOFailure("openDirectory", path, ENOTDIR)
                case nil:
                    guard create || index + 1 < components.count else {
                        throw IOFailure("openDirectory", path, ENOENT)
                    }
                    folder = folder.addFolder(name, makeNumber())
                }
            }
            return folder
        }
        return MemoryDirectory(self, folder, path: path, isRoot: true)
    }
}

/// The target of a name.
private enum MemoryNode {
    case file(MemoryFile)
    case folder(MemoryFolder)
}

/// The names of a directory. Guarded by the file system's lock.
private final class MemoryFolder: @unchecked Sendable {
    let number: UInt64
    var nodes: [String: MemoryNode] = [:]

    init(number: UInt64) { self.number = number }

    func addFolder(_ name: String, _ number: UInt64) -> MemoryFolder {
        let folder = MemoryFolder(number: number)
        nodes[name] = .folder(folder)
        return folder
    }
}

/// An open directory of a ``MemoryFileSystem``.
private final class MemoryDirectory: Directory {
    let path: String
    let identity: FileIdentity
    private let fileSystem: MemoryFileSystem
    private let folder: MemoryFolder
    private let isRoot: Bool

    init(_ fileSystem: MemoryFileSystem, _ folder: MemoryFolder, path: String, isRoot: Bool) {
        self.fileSystem = fileSystem
        self.folder = folder
        self.path = path
        self.isRoot = isRoot
        identity = FileIdentity(device: fileSystem.device, inode: folder.number)
    }

    private func label(_ name: String) -> String { FileName.join(path, name) }

    /// Runs `body` under the lock of all names.
    private func named<Result>(
        _ operation: String, _ name: String, _ body: () throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        guard FileName.isValid(name) else { throw IOFailure(operation, label(name), EINVAL) }
        return try fileSystem.names.withLock(body)
    }

    /// Returns the file of a name. Requires the lock.
    private func existing(_ operation: String, _ name: String) throws(IOFailure) -> MemoryFile {
        switch folder.nodes[name] {
        case .file(let file): return file
        case .folder: throw IOFailure(operation, label(name), EISDIR)
        case nil: throw IOFailure(operation, label(name), ENOENT)
        }
    }

    /// Adds a file. Requires the lock.
    private func addFile(_ name: String) -> MemoryFile {
        let file = MemoryFile()
        folder.nodes[name] = .file(file)
        return file
    }

    // MARK: Opening

    func create(_ name: String) throws(IOFailure) -> any WritableFile {
        let file = try named("create", name) { () throws(IOFailure) in
            guard folder.nodes[name] == nil else { throw IOFailure("create", label(name), EEXIST) }
            return addFile(name)
        }
        return MemoryHandle(file, name, label(name))
    }

    func open(_ name: String) throws(IOFailure) -> any ReadableFile {
        let file = try named("open", name) { () throws(IOFailure) in try existing("open", name) }
        return MemoryHandle(file, name, label(name))
    }

    func reopen(_ name: String) throws(IOFailure) -> any WritableFile {
        let file = try named("open", name) { () throws(IOFailure) in try existing("open", name) }
        return MemoryHandle(file, name, label(name))
    }

    func lock(_ name: String) throws(IOFailure) -> any FileLock {
        let file = try named("lock", name) { () throws(IOFailure) in
            let file = try folder.nodes[name] == nil ? addFile(name) : existing("lock", name)
            guard file.takeLock() else { throw IOFailure("lock", label(name), EWOULDBLOCK) }
            return file
        }
        return MemoryLock(file, label(name), isInPlace(file, name))
    }

    func openHolds(_ name: String) throws(IOFailure) -> any FileHolds {
        let file = try named("lock", name) { () throws(IOFailure) in try existing("lock", name) }
        return MemoryHolds(file, label(name), isInPlace(file, name))
    }

    /// Returns a test that is true while `name` leads to `file`.
    private func isInPlace(_ file: MemoryFile, _ name: String) -> @Sendable () -> Bool {
        { [fileSystem, folder] in
            fileSystem.names.withLock {
                if case .file(let found) = folder.nodes[name] { return found === file }
                return false
            }
        }
    }

    func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory {
        let inner = try named("openDirectory", name) { () throws(IOFailure) in
            switch folder.nodes[name] {
            case .folder(let inner): return inner
            case .file: throw IOFailure("openDirectory", label(name), ENOTDIR)
            case nil:
                guard create else { throw IOFailure("openDirectory", label(name), ENOENT) }
                return folder.addFolder(name, fileSystem.makeNumber())
            }
        }
        return MemoryDirectory(fileSystem, inner, path: isRoot ? name : label(name), isRoot: false)
    }

    // MARK: Names

    func exists(_ name: String) throws(IOFailure) -> Bool { try named("exists", name) { folder.nodes[name] != nil } }

    func list() throws(IOFailure) -> [String] { fileSystem.names.withLock { folder.nodes.keys.sorted() } }

    func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        let other = try sibling(target, newName, "rename")
        try named("rename", name) { () throws(IOFailure) in
            guard let node = folder.nodes[name] else { throw IOFailure("rename", label(name), ENOENT) }
            switch (node, other.nodes[newName]) {
            case (_, nil), (.file, .file): break
            case (.file, .folder): throw IOFailure("rename", label(name), EISDIR)
            case (.folder, .file): throw IOFailure("rename", label(name), ENOTDIR)
            case (.folder, .folder(let old)):
                guard old.nodes.isEmpty else { throw IOFailure("rename", label(name), ENOTEMPTY) }
            }
            // If both names refer to one file, POSIX keeps both.
            if case .file(let file) = node, case .file(let replaced) = other.nodes[newName], file === replaced {
                return
            }
            if case .file(let replaced) = other.nodes[newName] { replaced.removeName() }
            folder.nodes[name] = nil
            other.nodes[newName] = node
        }
    }

    func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        let other = try sibling(target, newName, "link")
        try named("link", name) { () throws(IOFailure) in
            guard case .file(let file) = folder.nodes[name] else {
                throw IOFailure("link", label(name), folder.nodes[name] == nil ? ENOENT : EPERM)
            }
            guard other.nodes[newName] == nil else { throw IOFailure("link", label(name), EEXIST) }
            other.nodes[newName] = .file(file)
            file.addName()
        }
    }

    private func sibling(
        _ target: any Directory, _ newName: String, _ operation: String
    ) throws(IOFailure) -> MemoryFolder {
        guard FileName.isValid(newName) else { throw IOFailure(operation, label(newName), EINVAL) }
        guard let other = target as? MemoryDirectory, other.fileSystem === fileSystem else {
            throw IOFailure(operation, label(newName), EXDEV)
        }
        return other.folder
    }

    func remove(_ name: String) throws(IOFailure) {
        let removed = try named("remove", name) { () throws(IOFailure) in
            let file = try existing("remove", name)
            folder.nodes[name] = nil
            file.removeName()
            return file
        }
        // The content is released outside the lock.
        withExtendedLifetime(removed) {}
    }

    func removeInSteps(_ name: String) throws(IOFailure) { try remove(name) }

    func removeAndCut(_ name: String) throws(IOFailure) {
        let file = try named("remove", name) { () throws(IOFailure) in try existing("remove", name) }
        try remove(name)
        if !file.hasNames { file.content.withLock { $0.resize(to: 0) } }
    }

    func removeDirectory(_ name: String) throws(IOFailure) {
        try named("remove", name) { () throws(IOFailure) in
            switch folder.nodes[name] {
            case .folder(let inner):
                guard inner.nodes.isEmpty else { throw IOFailure("remove", label(name), ENOTEMPTY) }
                folder.nodes[name] = nil
            case .file: throw IOFailure("remove", label(name), ENOTDIR)
            case nil: throw IOFailure("remove", label(name), ENOENT)
            }
        }
    }

    // MARK: The directory as a whole

    func sync() throws(IOFailure) {}

    /// False: memory is the medium.
    var durabilityIsReduced: Bool { false }
    var isOpenToOthers: Bool { false }
    var isPrivate: Bool { true }

    func freeBytes() throws(IOFailure) -> UInt64 { MemoryFileSystem.freeBytes }

    func allocatedBytes(of name: String) throws(IOFailure) -> UInt64 {
        let file = try named("status", name) { () throws(IOFailure) in try existing("status", name) }
        return UInt64(file.content.withLock { $0.allocatedBytes })
    }
}
