package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// An open directory of a ``SimulatedFileSystem``.
package final class SimulatedDirectory: Directory, @unchecked Sendable {
    package let path: String
    package let identity: FileIdentity
    private let fileSystem: SimulatedFileSystem
    /// Accessed under the file system's lock only, like everything that it refers to.
    private let folder: SimulatedFolder
    private let absolute: String
    private let isRoot: Bool
    /// The number of the directory's writeback errors that this description has reported. Guarded by the file system's
    /// lock.
    private var seenErrors = 0

    init(_ fileSystem: SimulatedFileSystem, _ folder: SimulatedFolder, path: String, absolute: String, isRoot: Bool) {
        self.fileSystem = fileSystem
        self.folder = folder
        self.path = path
        self.absolute = absolute
        self.isRoot = isRoot
        identity = FileIdentity(device: fileSystem.device, inode: folder.inode)
        seenErrors = fileSystem.withLock { folder.errors.seenAtOpen }
    }

    deinit { fileSystem.withLock { fileSystem.closed(absolute) } }

    private func label(_ name: String) -> String { FileName.join(path, name) }

    /// Performs a call about one name.
    private func perform<Result>(
        _ kind: OperationKind, _ name: String, _ body: () throws(IOFailure) -> Result
    ) throws(IOFailure) -> Result {
        try fileSystem.perform(kind, FileName.join(absolute, name), label: label(name)) { effect throws(IOFailure) in
            guard FileName.isValid(name) else { throw IOFailure(kind.rawValue, label(name), EINVAL) }
            let result = try body()
            if case .writebackError(let number) = effect { folder.failWriteback(number) }
            return result
        }
    }

    /// Returns the file to which a name refers.
    private func existingFile(_ name: String, _ kind: OperationKind) throws(IOFailure) -> SimulatedFile {
        switch folder.names[name] {
        case .file(let file): return file
        case .folder: throw IOFailure(kind.rawValue, label(name), EISDIR)
        case nil: throw IOFailure(kind.rawValue, label(name), ENOENT)
        }
    }

    // MARK: - Opening

    package func create(_ name: String) throws(IOFailure) -> any WritableFile {
        let file = try perform(.create, name) { () throws(IOFailure) in
            guard folder.names[name] == nil else { throw IOFailure("create", label(name), EEXIST) }
            let file = addFile(name)
            attach(file, name)
            return file
        }
        return SimulatedWritableFile(handle(file, name))
    }

    package func open(_ name: String) throws(IOFailure) -> any ReadableFile {
        let file = try perform(.open, name) { () throws(IOFailure) in
            let file = try existingFile(name, .open)
            attach(file, name)
            return file
        }
        return SimulatedReadableFile(handle(file, name))
    }

    package func reopen(_ name: String) throws(IOFailure) -> any WritableFile {
        let file = try perform(.open, name) { () throws(IOFailure) in
            let file = try existingFile(name, .open)
            attach(file, name)
            return file
        }
        return SimulatedWritableFile(handle(file, name))
    }

    package func lock(_ name: String) throws(IOFailure) -> any FileLock {
        let file = try perform(.lock, name) { () throws(IOFailure) in
            let file = try folder.names[name] == nil ? addFile(name) : existingFile(name, .lock)
            guard file.lockHolders.isEmpty else { throw IOFailure("lock", label(name), EWOULDBLOCK) }
            file.lockHolders = [fileSystem.processes.current]
            attach(file, name)
            return file
        }
        return SimulatedFileLock(handle(file, name), isNamed: isNamed(name))
    }

    package func openHolds(_ name: String) throws(IOFailure) -> any FileHolds {
        let file = try perform(.open, name) { () throws(IOFailure) in
            let file = try existingFile(name, .open)
            attach(file, name)
            return file
        }
        return SimulatedFileHolds(handle(file, name), isNamed: isNamed(name))
    }

    /// Returns a test that is true while `name` leads to the file that it gets.
    private func isNamed(_ name: String) -> (SimulatedFile) -> Bool {
        { [folder] file in
            if case .file(let found) = folder.names[name] { return found === file }
            return false
        }
    }

    private func addFile(_ name: String) -> SimulatedFile {
        let file = fileSystem.makeFile()
        file.linkCount = 1
        folder.set(name, .file(file))
        return file
    }

    private func attach(_ file: SimulatedFile, _ name: String) {
        fileSystem.accounting(for: file) { file.handleCount += 1 }
        fileSystem.opened(FileName.join(absolute, name))
    }

    private func handle(_ file: SimulatedFile, _ name: String) -> SimulatedHandle {
        SimulatedHandle(fileSystem, file, name: name, label: label(name), absolute: FileName.join(absolute, name))
    }

    package func openDirectory(_ name: String, create: Bool) throws(IOFailure) -> any Directory {
        let location = FileName.join(absolute, name)
        let inner = try perform(.openDirectory, name) { () throws(IOFailure) in
            switch folder.names[name] {
            case .folder(let inner):
                fileSystem.opened(location)
                return inner
            case .file: throw IOFailure("openDirectory", label(name), ENOTDIR)
            case nil:
                guard create else { throw IOFailure("openDirectory", label(name), ENOENT) }
                let inner = fileSystem.makeFolder()
                folder.set(name, .folder(inner))
                fileSystem.opened(location)
                return inner
            }
        }
        let path = isRoot ? name : label(name)
        return SimulatedDirectory(fileSystem, inner, path: path, absolute: location, isRoot: false)
    }

    // MARK: - Names

    package func exists(_ name: String) throws(IOFailure) -> Bool {
        try perform(.exists, name) { folder.names[name] != nil }
    }

    package func list() throws(IOFailure) -> [String] {
        try fileSystem.perform(.list, absolute, label: path) { _ in folder.names.keys.sorted() }
    }

    package func rename(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try perform(.rename, name) { () throws(IOFailure) in
            let other = try sibling(target, newName, .rename)
            guard let node = folder.names[name] else { throw IOFailure("rename", label(name), ENOENT) }
            if let replaced = other.names[newName] {
                // If both names refer to one file, POSIX keeps both.
                if replaced.identifier == node.identifier { return }
                try checkReplacement(of: replaced, by: node, name)
                if case .file(let file) = replaced { fileSystem.accounting(for: file) { file.linkCount -= 1 } }
            }
            let number = fileSystem.makeRenameNumber()
            other.set(newName, node, rename: number)
            folder.set(name, nil, rename: number)
        }
    }

    private func checkReplacement(
        of replaced: SimulatedNode, by node: SimulatedNode, _ name: String
    ) throws(IOFailure) {
        switch (node, replaced) {
        case (.file, .file): return
        case (.file, .folder): throw IOFailure("rename", label(name), EISDIR)
        case (.folder, .file): throw IOFailure("rename", label(name), ENOTDIR)
        case (.folder, .folder(let old)):
            guard old.names.isEmpty else { throw IOFailure("rename", label(name), ENOTEMPTY) }
        }
    }

    package func link(_ name: String, to newName: String, in target: any Directory) throws(IOFailure) {
        try perform(.link, name) { () throws(IOFailure) in
            let other = try sibling(target, newName, .link)
            guard case .file(let file) = folder.names[name] else {
                throw IOFailure("link", label(name), folder.names[name] == nil ? ENOENT : EPERM)
            }
            guard other.names[newName] == nil else { throw IOFailure("link", label(name), EEXIST) }
            file.linkCount += 1
            other.set(newName, .file(file))
        }
    }

    private func sibling(
        _ target: any Directory, _ newName: String, _ kind: OperationKind
    ) throws(IOFailure) -> SimulatedFolder {
        guard FileName.isValid(newName) else { throw IOFailure(kind.rawValue, label(newName), EINVAL) }
        guard let other = target as? SimulatedDirectory, other.fileSystem === fileSystem else {
            throw IOFailure(kind.rawValue, label(newName), EXDEV)
        }
        return other.folder
    }

    package var durabilityIsReduced: Bool { false }
    package var isOpenToOthers: Bool { false }
    package var isPrivate: Bool { true }

    package func removeInSteps(_ name: String) throws(IOFailure) { try remove(name) }

    package func removeAndCut(_ name: String) throws(IOFailure) {
        try perform(.remove, name) { () throws(IOFailure) in
            let file = try existingFile(name, .remove)
            folder.set(name, nil)
            fileSystem.accounting(for: file) {
                file.linkCount -= 1
                if file.linkCount == 0 { file.resize(to: 0) }
            }
        }
    }

    package func remove(_ name: String) throws(IOFailure) {
        try perform(.remove, name) { () throws(IOFailure) in
            let file = try existingFile(name, .remove)
            folder.set(name, nil)
            fileSystem.accounting(for: file) { file.linkCount -= 1 }
        }
    }

    package func removeDirectory(_ name: String) throws(IOFailure) {
        try perform(.remove, name) { () throws(IOFailure) in
            switch folder.names[name] {
            case .folder(let inner):
                guard inner.names.isEmpty else { throw IOFailure("remove", label(name), ENOTEMPTY) }
                folder.set(name, nil)
            case .file: throw IOFailure("remove", label(name), ENOTDIR)
            case nil: throw IOFailure("remove", label(name), ENOENT)
            }
        }
    }

    // MARK: - The directory as a whole

    package func sync() throws(IOFailure) {
        try fileSystem.perform(.syncDirectory, absolute, label: path) { effect in
            if case .error(let number) = effect { folder.failWriteback(number) }
            return (folder.nextChange, effect == .syncLies)
        } end: { begun throws(IOFailure) in
            let (end, isLie) = begun
            if isLie { return }
            folder.sync(before: end + fileSystem.injector.drawMore(folder.nextChange - end))
            try fileSystem.report(&folder.errors, to: &seenErrors, path)
        }
    }

    package func freeBytes() throws(IOFailure) -> UInt64 {
        try fileSystem.perform(.freeBytes, absolute, label: path) { _ in UInt64(fileSystem.freeSpace) }
    }
}
