import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The store's directory and the ones below it, open for as long as the engine is.
final class StoreDirectories: Sendable {
    let root: any Directory
    let logs: any Directory
    let segments: any Directory

    init(root: any Directory, create: Bool) throws(IOFailure) {
        self.root = root
        logs = try root.openDirectory(StoreLayout.logDirectory, create: create)
        segments = try root.openDirectory(StoreLayout.segmentDirectory, create: create)
        if create { try root.sync() }
    }

    /// Makes the names of new segments durable, before an edit refers to them.
    func syncSegments() throws(StorageError) {
        do { try segments.sync() } catch { throw error.storageError }
    }
}
