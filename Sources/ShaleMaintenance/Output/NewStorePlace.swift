import ShaleBase
import ShaleManifest
import ShalePlatform

/// An absent or empty directory that a new store is made in. Locked, so that nobody opens it meanwhile; it is no store before
/// it has a CURRENT.
final class NewStorePlace {
    let root: any Directory
    let segments: any Directory
    private let lock: any FileLock

    init(at path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let isVacant: Bool
        do throws(IOFailure) {
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

    /// Removes segments after an error, which is the one to report. What can't be removed takes space and is no store.
    func abandon() {
        do {
            for name in try segments.list() where StoreLayout.segmentNumber(name) != nil { try segments.remove(name) }
        } catch {
            return release()
        }
        release()
    }
}
