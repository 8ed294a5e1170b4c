package import ShaleBase
package import ShaleManifest
package import ShalePlatform
import ShaleSegment

/// A store as it was at one moment, in segments alone. Their files stay for as long as this value lives.
package struct FrozenStore: Sendable {
    package let state: StoreState
    package let identity: CurrentFile
    /// Where the segments are.
    package let segments: any Directory
    package let wallMilliseconds: Int64
}

extension Engine {
    /// Flushes, and keeps what is there then.
    package func freeze() throws(StorageError) -> FrozenStore {
        try core.flush()
        let manifest = try core.writableManifest()
        var state = core.manifestLock.withLock { manifest.state }
        state.logFloor = 0
        state.nextFileNumber = core.fileNumbers.next
        let identity = CurrentFile(
            manifestNumber: 0, storeID: manifest.storeID, createdMilliseconds: manifest.createdMilliseconds)
        return FrozenStore(
            state: state, identity: identity, segments: core.directories.segments, wallMilliseconds: core.clock.now)
    }
}
