import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The store's directory and its subdirectories, open while the engine is.
final class StoreDirectories: Sendable {
    let root: any Directory
    let logs: any Directory
    let segments: any Directory
    /// Shared syncs of ``segments``, for flushes and compactions.
    let segmentNames: SharedSync

    init(root: any Directory, create: Bool) throws(IOFailure) {
        self.root = root
        logs = try root.openDirectory(StoreLayout.logDirectory, create: create)
        let segments = try root.openDirectory(StoreLayout.segmentDirectory, create: create)
        self.segments = segments
        segmentNames = SharedSync { () throws(IOFailure) in try segments.sync() }
        if create { try root.sync() }
    }

    private init(root: any Directory, logs: any Directory, segments: any Directory) {
        self.root = root
        self.logs = logs
        self.segments = segments
        segmentNames = SharedSync { () throws(IOFailure) in try segments.sync() }
    }

    /// Returns the same directories, which close idle ones of `files` if descriptors run out (contract E-4).
    func sparing(_ files: OpenFiles) -> StoreDirectories {
        func thrifty(_ directory: any Directory) -> any Directory {
            ThriftyDirectory(directory) { files.closeHalf() }
        }
        return StoreDirectories(root: thrifty(root), logs: thrifty(logs), segments: thrifty(segments))
    }

    /// Returns the disk space of all files in bytes, as `du` counts it: segments, logs with their reserved space,
    /// manifests and the reserve. O(files).
    func allocatedBytes() throws(StorageError) -> UInt64 {
        do throws(IOFailure) {
            var total: UInt64 = 0
            for directory in [root, logs, segments] {
                for name in try directory.list() {
                    // A thread of the engine may have deleted the file meanwhile. The root also lists the two
                    // subdirectories.
                    do throws(IOFailure) {
                        total += try directory.allocatedBytes(of: name)
                    } catch {
                        guard error.isMissing || error.isWrongKind else { throw error }
                    }
                }
            }
            return total
        } catch {
            throw error.storageError
        }
    }

    /// Makes the names of new segments durable, before an edit refers to them.
    ///
    /// - Parameter mark: Taken before the first of the segments was created.
    func syncSegments(since mark: SharedSync.Mark) throws(StorageError) {
        do { try segmentNames.sync(since: mark) } catch { throw error.storageError }
    }

    /// Makes the names of new segments durable during an opening, while no other thread creates any.
    func syncSegments() throws(StorageError) { try syncSegments(since: segmentNames.mark) }
}
