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

    private init(root: any Directory, logs: any Directory, segments: any Directory) {
        self.root = root
        self.logs = logs
        self.segments = segments
    }

    /// The same directories, which close idle ones of `files` when descriptors run out (contract E-4).
    func sparing(_ files: OpenFiles) -> StoreDirectories {
        func thrifty(_ directory: any Directory) -> any Directory {
            ThriftyDirectory(directory) { files.closeHalf() }
        }
        return StoreDirectories(root: thrifty(root), logs: thrifty(logs), segments: thrifty(segments))
    }

    /// Makes the names of new segments durable, before an edit refers to them.
    func syncSegments() throws(StorageError) {
        do { try segments.sync() } catch { throw error.storageError }
    }
}
