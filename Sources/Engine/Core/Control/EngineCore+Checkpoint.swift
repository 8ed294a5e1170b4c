import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Creates a checkpoint: see ``Engine/checkpoint(at:)``. The copy's CURRENT is written last, so an interrupted
    /// checkpoint is not a store.
    func checkpoint(at path: String) throws(StorageError) {
        // The frozen store holds its segments, so their files stay while they are linked.
        let store = try freeze()
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
            try environment.fileSystem.syncNames(above: path)
            let target = try StoreDirectories(root: root, create: true)
            for segment in store.state.version.levels.flatMap(\.segments) {
                let name = StoreLayout.segment(segment.number)
                try store.segments.link(name, to: name, in: target.segments)
            }
            try target.segments.sync()
        } catch {
            throw error.storageError
        }
        let copy = try Manifest.start(
            in: root, state: store.state, identity: store.identity,
            fileNumbers: FileNumbers(next: store.state.nextFileNumber),
            makeSegment: { [directories, segmentEnvironment] in
                Segment(metadata: $0, directory: directories.segments, environment: segmentEnvironment)
            })
        try copy.close()
    }
}
