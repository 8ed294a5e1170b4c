import ShaleBase
import ShaleManifest
import ShalePlatform

/// An absent or empty directory that a new store is made in. Locked, so that nobody opens it meanwhile; it is no store before
/// it has a CURRENT.
final class NewStorePlace {
    let root: any Directory
    let segments: any Directory
    private let lock: any FileLock
    private let path: String
    private let fileSystem: any FileSystem
    /// Whether the directory was not there before.
    private let isMade: Bool

    init(at path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let isVacant: Bool
        self.path = path
        self.fileSystem = fileSystem
        do throws(IOFailure) {
            isMade = try !NewStorePlace.isThere(path, fileSystem)
            root = try fileSystem.openDirectory(path, create: true)
            isVacant = try NewStorePlace.isVacant(root)
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

    /// Whether there is nothing but what an earlier attempt that failed may have left: empty directories of ours.
    private static func isVacant(_ root: any Directory) throws(IOFailure) -> Bool {
        for name in try root.list() where name != StoreLayout.lock {
            guard name == StoreLayout.segmentDirectory || name == StoreLayout.logDirectory else { return false }
            guard try root.openDirectory(name, create: false).list().isEmpty else { return false }
        }
        return true
    }

    /// The store is made, or nobody will.
    func release() { lock.release() }

    /// Removes what was made, after an error, which is the one to report. Files that can't be removed take space and
    /// are no store.
    ///
    /// A directory that was there before keeps its LOCK: another process may have opened that file to lock it next, and
    /// a second LOCK would admit a second owner. A directory that was made here is removed as a whole: a process that
    /// has opened its LOCK can create no file in a directory without a name.
    func abandon() {
        defer { release() }
        do {
            for name in try segments.list() where StoreLayout.segmentNumber(name) != nil { try segments.remove(name) }
            try root.removeDirectory(StoreLayout.segmentDirectory)
            try root.removeDirectory(StoreLayout.logDirectory)
            guard isMade else { return }
            try root.remove(StoreLayout.lock)
            let (parent, name) = NewStorePlace.parts(path)
            try fileSystem.openDirectory(parent, create: false).removeDirectory(name)
        } catch {
            return
        }
    }

    private static func isThere(_ path: String, _ fileSystem: any FileSystem) throws(IOFailure) -> Bool {
        do throws(IOFailure) {
            _ = try fileSystem.openDirectory(path, create: false)
            return true
        } catch {
            guard error.isMissing else { throw error }
            return false
        }
    }

    /// The directory that `path` is in, and its name there.
    private static func parts(_ path: String) -> (parent: String, name: String) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        let parent = trimmed[..<slash]
        return (parent.isEmpty ? "/" : String(parent), String(trimmed[trimmed.index(after: slash)...]))
    }
}
