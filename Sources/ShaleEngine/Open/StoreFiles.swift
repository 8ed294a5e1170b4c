import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The files that are in a store's directories, by what their names say.
struct StoreFiles {
    let manifests: [UInt64]
    let logs: [UInt64]
    let segments: [UInt64]
    let hasTemporaryCurrent: Bool

    init(_ directories: StoreDirectories) throws(StorageError) {
        do throws(IOFailure) {
            let root = try directories.root.list()
            manifests = root.compactMap { StoreLayout.manifestNumber($0) }
            hasTemporaryCurrent = root.contains(StoreLayout.currentTemporary)
            logs = try directories.logs.list().compactMap { StoreLayout.logNumber($0) }
            segments = try directories.segments.list().compactMap { StoreLayout.segmentNumber($0) }
        } catch {
            throw error.storageError
        }
    }

    var largestNumber: UInt64 { (manifests + logs + segments).max() ?? 0 }

    /// Removes what work that never finished has left behind: files with names of ours and numbers that were given out,
    /// which neither `state` nor the opening refers to. Anything else in the directories is not ours to touch. Old logs are
    /// left to the engine: deleting one takes as long as the device likes.
    func removeOrphans(
        state: StoreState, manifest: String, in directories: StoreDirectories
    ) throws(StorageError) -> Int {
        let live = Set(state.version.levels.flatMap { $0.segments.map(\.number) })
        var removed = 0
        do throws(IOFailure) {
            for number in segments where !live.contains(number) {
                try directories.segments.remove(StoreLayout.segment(number))
                removed += 1
            }
            for number in manifests where StoreLayout.manifest(number) != manifest {
                try directories.root.remove(StoreLayout.manifest(number))
                removed += 1
            }
            if hasTemporaryCurrent { try directories.root.remove(StoreLayout.currentTemporary) }
        } catch {
            throw error.storageError
        }
        return removed
    }
}
