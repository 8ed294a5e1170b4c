import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// See ``Engine/checkpoint(at:)``. The copy's CURRENT comes last, so a checkpoint that died is not a store.
    func checkpoint(at path: String) throws(StorageError) {
        try flush()
        let manifest = try writableManifest()
        // The state holds its segments, so their files stay while they are linked.
        var state = manifestLock.withLock { manifest.state }
        state.logFloor = 0
        let isEmpty: Bool
        let root: any Directory
        do throws(IOFailure) {
            root = try environment.fileSystem.openDirectory(path, create: true)
            isEmpty = try root.list().isEmpty
        } catch {
            throw error.storageError
        }
        guard isEmpty else { throw StorageError(.invalidArgument, "the directory is not empty", file: path) }
        do throws(IOFailure) {
            let target = try StoreDirectories(root: root, create: true)
            for segment in state.version.levels.flatMap(\.segments) {
                let name = StoreLayout.segment(segment.number)
                try directories.segments.link(name, to: name, in: target.segments)
            }
            try target.segments.sync()
        } catch {
            throw error.storageError
        }
        let identity = CurrentFile(
            manifestNumber: 0, storeID: manifest.storeID, createdMilliseconds: manifest.createdMilliseconds)
        let copy = try Manifest.start(
            in: root, state: state, identity: identity, fileNumbers: FileNumbers(next: fileNumbers.next),
            makeSegment: { [directories, segmentEnvironment] in
                Segment(metadata: $0, directory: directories.segments, environment: segmentEnvironment)
            })
        try copy.close()
    }
}
