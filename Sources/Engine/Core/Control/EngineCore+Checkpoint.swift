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
        let target: StoreDirectories
        do throws(IOFailure) {
            try environment.fileSystem.syncNames(above: path)
            target = try StoreDirectories(root: root, create: true)
        } catch {
            throw error.storageError
        }
        for name in store.fileNames { try link(name, of: store, to: target) }
        let state = try store.complete(in: target.segments)
        do { try target.segments.sync() } catch { throw error.storageError }
        let copy = try Manifest.start(
            in: root, state: state, identity: store.identity, fileNumbers: FileNumbers(next: state.nextFileNumber),
            makeSegment: { [directories, segmentEnvironment] in
                Segment(metadata: $0, directory: directories.segments, environment: segmentEnvironment)
            })
        try copy.close()
    }

    private func link(
        _ name: String, of store: FrozenStore, to target: StoreDirectories
    ) throws(StorageError) {
        do {
            try store.segments.link(name, to: name, in: target.segments)
        } catch {
            guard error.isMissing, followed != nil else { throw error.storageError }
            throw StorageError(
                .outdated, "the owner of the store has deleted a file of the state that is copied",
                file: StoreLayout.segmentDirectory + "/" + name, cause: error)
        }
    }
}
