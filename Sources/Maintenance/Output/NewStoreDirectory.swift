import ShaleBase
import ShaleManifest
import ShalePlatform

/// An absent or empty directory in which a new store is made. It is locked, so that no process opens it meanwhile. It
/// becomes a store when CURRENT is written.
final class NewStoreDirectory {
    let root: any Directory
    let segments: any Directory
    private let lock: any FileLock
    private let path: String
    private let fileSystem: any FileSystem
    /// True if the directory did not exist before.
    private let wasCreated: Bool

    init(at path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let isVacant: Bool
        self.path = path
        self.fileSystem = fileSystem
        do throws(IOFailure) {
            wasCreated = try !NewStoreDirectory.exists(path, fileSystem)
            root = try fileSystem.openDirectory(path, create: true)
            isVacant = try NewStoreDirectory.isVacant(root)
        } catch {
            throw error.storageError
        }
        guard isVacant else { throw StorageError(.invalidArgument, "the directory is not empty", file: path) }
        do throws(IOFailure) {
            lock = try root.lock(StoreLayout.lock)
            lock.publishHolder()
            try fileSystem.syncNames(above: path)
            segments = try root.openDirectory(StoreLayout.segmentDirectory, create: true)
            _ = try root.openDirectory(StoreLayout.logDirectory, create: true)
            try root.sync()
        } catch {
            throw error.storageError
        }
    }

    /// Returns true if the directory contains at most the leftovers of a failed attempt: the lock file and empty
    /// directories of a store.
    private static func isVacant(_ root: any Directory) throws(IOFailure) -> Bool {
        for name in try root.list() where name != StoreLayout.lock {
            guard name == StoreLayout.segmentDirectory || name == StoreLayout.logDirectory else { return false }
            guard try root.openDirectory(name, create: false).list().isEmpty else { return false }
        }
        return true
    }

    /// Releases the lock after the store was made or abandoned.
    func release() { lock.release() }

    /// Removes the files made so far, after an error that the caller reports. Files that can't be removed take space
    /// but are no store.
    ///
    /// A directory that existed before keeps its LOCK: another process may have opened that file and lock it next, and
    /// a second LOCK file would admit a second owner. A directory made here is removed as a whole: a process that has
    /// opened its LOCK can't create a file in a directory that has no name.
    func abandon() {
        defer { release() }
        do {
            for name in try segments.list()
            where StoreLayout.segmentNumber(name) != nil || StoreLayout.valuesNumber(name) != nil {
                try segments.remove(name)
            }
            try root.removeDirectory(StoreLayout.segmentDirectory)
            try root.removeDirectory(StoreLayout.logDirectory)
            guard wasCreated else { return }
            try root.remove(StoreLayout.lock)
            let (parent, name) = NewStoreDirectory.parts(path)
            try fileSystem.openDirectory(parent, create: false).removeDirectory(name)
        } catch {
            return
        }
    }

    private static func exists(_ path: String, _ fileSystem: any FileSystem) throws(IOFailure) -> Bool {
        do throws(IOFailure) {
            _ = try fileSystem.openDirectory(path, create: false)
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// Returns the parent directory of `path` and the name in it.
    private static func parts(_ path: String) -> (parent: String, name: String) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        let parent = trimmed[..<slash]
        return (parent.isEmpty ? "/" : String(parent), String(trimmed[trimmed.index(after: slash)...]))
    }
}
